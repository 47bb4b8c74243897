/// Many simulations, several at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"

namespace troupe::apps {

/// Runs that know nothing of one another. `run(i)` is called in any thread.
struct SimulationList {
  std::size_t count = 0;
  std::function<SimulatedRun(std::size_t)> run;
};

/// Simulates them on up to `jobs` threads; outcome i is that of run i. Shows how many
/// are done as `progress` says. Where runs fail, throws the failure of the first of them: which it is does not depend
/// on `jobs` either. No run begins after one has failed.
[[nodiscard]] std::vector<FactorizationOutcome> simulate_all(const SimulationList& runs, int jobs,
                                                             ProgressOptions progress);

/// As many as this process may use cores.
[[nodiscard]] int default_jobs();

}  // namespace troupe::apps
