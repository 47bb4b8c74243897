/// Runs many simulations, several of them at the same time.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"

namespace troupe::apps {

/// A list of independent runs. `run(i)` returns run i; any thread may call it.
struct SimulationList {
  std::size_t count = 0;
  std::function<SimulatedRun(std::size_t)> run;
};

/// Simulates the runs on up to `jobs` threads and returns their outcomes in order. `progress` shows the number of
/// finished runs. If runs fail, throws the error of the first failed run in the list, so that the error does not depend
/// on `jobs`. After a failure, no further run is started.
[[nodiscard]] std::vector<FactorizationOutcome> simulate_all(const SimulationList& runs, int jobs,
                                                             ProgressOptions progress);

/// Returns the number of cores that this process may use.
[[nodiscard]] int default_jobs();

}  // namespace troupe::apps
