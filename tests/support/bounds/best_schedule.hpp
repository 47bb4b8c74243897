/// The optimum that bounds are compared with. It is found by trying all schedules.
#pragma once

#include <vector>

#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// Returns a machine whose worker types have the given `times`, indexed by kind, then type. All types work on host
/// memory and have cores of their own.
[[nodiscard]] BoundMachine machine_of(const std::vector<std::vector<double>>& times, const std::vector<int>& counts);

/// Returns the least makespan of all schedules without preemption: every order that keeps the dependencies, on every
/// choice of workers. `kCannotRun` if there is no schedule. The cost is exponential in the number of tasks, so use it
/// for a few tasks only.
[[nodiscard]] double best_makespan(const BoundProblem& problem);

}  // namespace troupe::apps
