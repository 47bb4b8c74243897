/// Parts that the kernels of nested tasks make.
#pragma once

#include <span>
#include <vector>

#include "graph/data/domain.hpp"
#include "graph/state/graph_state.hpp"

namespace troupe::graph {

/// Does the work of `partition` in the kernel of a nested task.
Result<std::vector<Handle>> partition_inside(GraphState& graph, const Handle& handle, std::span<const Block> blocks);
/// Makes the data whole again that the parent has divided (`Domain::divided`), because on accelerators a task can use
/// only undivided data as a whole. Called when no task of the domain is left. Returns true if the parent has to wait
/// once more, for a task that brings the content to host memory. Data stay divided if other tasks name their parts.
bool joins_parts(GraphState& graph, Domain& domain, TaskList& ready) TROUPE_EXCLUDES(graph.submission_mutex);

}  // namespace troupe::graph
