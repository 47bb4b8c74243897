/// The ends of registrations.
#pragma once

#include "graph/state/graph_state.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

/// Ends a registration. If `finally` is true, kernels and callbacks may also end registrations of memory that the
/// program owns, if no task uses it; if the function fails, the caller calls `abandon_data`. If `finally` is false,
/// kernels and callbacks may not end such registrations, because the outcome would depend on the speed of other
/// threads.
Result<void> end_registration(GraphState& graph, const Handle& handle, bool finally);
/// Called when `end_registration` has failed for the reason `why`, but the program frees the memory all the same.
void abandon_data(GraphState& graph, const Handle& handle, const Failure& why);

}  // namespace troupe::graph
