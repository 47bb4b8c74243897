/// What bounds are held against: the optimum, found by trying everything.
#pragma once

#include <vector>

#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// Types of worker by what they take: `times` by kind, then type. All work on host memory, with cores of their own.
[[nodiscard]] BoundMachine machine_of(const std::vector<std::vector<double>>& times, const std::vector<int>& counts);

/// The least makespan of all schedules without preemption: every order that keeps the dependencies, on every choice of
/// workers. `kCannotRun` where there is none. For a few tasks: exponential.
[[nodiscard]] double best_makespan(const BoundProblem& problem);

}  // namespace troupe::apps
