/// The best makespan, found by trying all schedules. Tests compare lower bounds with it.
#pragma once

#include <vector>

#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// Returns a machine with these `times`, indexed by kind of task, then by type of worker. All workers use host memory,
/// and each type has its own cores.
[[nodiscard]] BoundMachine machine_of(const std::vector<std::vector<double>>& times, const std::vector<int>& counts);

/// Returns the least makespan of all schedules without preemption: all orders that keep the dependencies, on all
/// choices of workers. Returns `kCannotRun` if there is no schedule. The cost is exponential in the number of tasks, so
/// use this for a few tasks only.
[[nodiscard]] double best_makespan(const BoundProblem& problem);

}  // namespace troupe::apps
