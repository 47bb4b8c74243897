/// Finds sizes of clusters before a run, by simulating the run with each of them.
#pragma once

#include <string>
#include <vector>

#include "apps/run/cluster_choice.hpp"
#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"
#include "platform/machine/cluster_candidates.hpp"

namespace troupe::apps {

struct ClusterSearchOptions {
  /// The time that all simulations together may take on one core, by the estimate tasks * workers * 0.4 us. Small
  /// simulations are made in any case.
  double most_seconds = 6;
  /// The number of threads, as for `simulate_all`.
  int jobs = 1;
  /// The policy under which clusters that change during the run are also tried; if it is empty, they are not tried.
  std::string changing_policy = {};
  ProgressOptions progress = {};
};

/// Simulates `run` with each of the candidates, and with clusters that change from one to another, and finds the
/// fastest; single cores if nothing is 0.3 % faster. The run's clusters and trace are not used. Kernels take their
/// means. If the run has noise, the candidates that come within 10 % of the best are simulated 4 to 25 times more, with
/// noise of other seeds than the run's. Their mean times decide, since the best of many single runs may just be
/// lucky. If all simulations would take too long, smaller matrices in the same tiles are simulated first, and the best
/// few of the candidates go on to larger ones; the last matrix may still be smaller than asked for. The result does not
/// depend on how fast this machine is. Throws what `simulate` throws, and `invalid_argument` if tasks are restricted to
/// workers by number. `candidates` is not empty.
[[nodiscard]] ClusterChoice choose_clusters(const SimulatedRun& run,
                                            const std::vector<platform::ClusterCandidate>& candidates,
                                            const ClusterSearchOptions& options);

/// Chooses from all clusters that the cores of the described machine can form; single cores, with a remark, if a kernel
/// has no times on clusters.
[[nodiscard]] ClusterChoice choose_described_clusters(const SimulatedRun& run, const ClusterSearchOptions& options);

/// Fails with `bad_input` if the description has no times of one of the run's kernels on clusters of `cores` cores.
[[nodiscard]] Result<void> check_cluster_times(const SimulatedRun& run, int cores);

}  // namespace troupe::apps
