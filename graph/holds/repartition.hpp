/// Parts that are replaced while tasks may use them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/holds/changes.hpp"
#include "graph/state/graph_state.hpp"

namespace troupe::graph {

/// Does the work of `TaskGraph::repartition`.
Result<std::vector<Handle>> repartition(GraphState& graph, const Handle& parent, std::span<const Block> blocks);
/// Replaces the parts if no task has to be waited for. Otherwise returns nothing, and if `may_wait` is true, refuses
/// further tasks on the parts until the caller has waited; if it is false, fails with `wait_in_kernel`.
Result<std::optional<std::vector<Handle>>> replace_at_once(GraphState& graph, const Handle& parent,
                                                           std::span<const Block> blocks, bool may_wait)
    TROUPE_EXCLUDES(graph.submission_mutex);
/// Returns the change of a division that has waited until nobody uses the record. It fails if the record is being
/// recorded. The arguments live as long as the change.
[[nodiscard]] Change division_at_last(GraphState& graph, std::span<const Block> blocks, std::vector<Handle>& parts);
/// Ends a division that has failed: allows tasks on the parts of the handle again, if it is still registered. Returns
/// `why`.
Failure keep_parts(GraphState& graph, const Handle& handle, const Failure& why) TROUPE_EXCLUDES(graph.submission_mutex);

}  // namespace troupe::graph
