/// Runs many simulations, several at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"

namespace troupe::apps {

/// A list of independent runs. `run(i)` is called in any thread.
struct SimulationList {
  std::size_t count = 0;
  std::function<SimulatedRun(std::size_t)> run;
};

/// Simulates the runs on up to `jobs` threads; outcome i is that of run i. `progress` shows how many are done. If runs
/// fail, throws the failure of the first one in the list, so the failure does not depend on `jobs`. No run begins after
/// one has failed.
[[nodiscard]] std::vector<FactorizationOutcome> simulate_all(const SimulationList& runs, int jobs,
                                                             ProgressOptions progress);

/// Returns the number of cores that this process may use.
[[nodiscard]] int default_jobs();

}  // namespace troupe::apps
