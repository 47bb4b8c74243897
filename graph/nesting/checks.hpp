/// The checks of nested tasks and of their children.
#pragma once

#include <vector>

#include "graph/data/domain.hpp"
#include "graph/state/graph_state.hpp"
#include "graph/tasks/task_specification.hpp"

namespace troupe::graph {

/// Checks that a kernel that was called at once may use the record, as if it were the kernel of a nested task.
Result<void> check_called(const GraphState& graph, const DataRecord& record, AccessMode mode, const Domain& domain);
/// Checks that tasks of this domain may use the record in this mode. Appends to `moves` the temporary data of another
/// domain that this domain takes over (`move_home`).
Result<void> check_belongs(GraphState& graph, DataRecord& record, AccessMode mode, const Domain* domain,
                           std::vector<DataRecord*>& moves) TROUPE_REQUIRES(graph.submission_mutex);
/// Makes the checks of `check_nesting` for weak data, but does not check their content.
Result<void> check_weak(GraphState& graph, const TaskSpecification& specification, const Domain* domain,
                        std::vector<DataRecord*>& moves) TROUPE_REQUIRES(graph.submission_mutex);
/// Checks the options `nested` and `weak`, and that a task of this domain may use its data. `domain` may be null.
Result<void> check_nesting(GraphState& graph, const TaskSpecification& specification, const Domain* domain)
    TROUPE_REQUIRES(graph.submission_mutex);

}  // namespace troupe::graph
