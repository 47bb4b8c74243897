/// Finds the best sizes of clusters before a run, by simulating the run with each of them.
#pragma once

#include <string>
#include <vector>

#include "apps/run/cluster_choice.hpp"
#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"
#include "platform/machine/cluster_candidates.hpp"

namespace troupe::apps {

struct ClusterSearchOptions {
  /// The time, in seconds, that all simulations together may take on one core, by the estimate tasks * workers * 0.4
  /// us. Small simulations are made even if they exceed this time.
  double most_seconds = 6;
  /// The number of threads, as for `simulate_all`.
  int jobs = 1;
  /// The policy for additional runs with clusters that change during the run; if it is empty, there are none.
  std::string changing_policy = {};
  ProgressOptions progress = {};
};

/// Simulates `run` with each of the candidates, and with clusters that change during the run, and finds the fastest;
/// chooses single cores if no clusters are more than 0.3 % faster. The clusters and the trace setting of `run` are
/// ignored. Kernels take their mean times. If the run has noise, the candidates within 10 % of the best are simulated 4
/// to 25 times more, with noise from other seeds than the run's. Their mean times then decide, because the best of many
/// single runs may just be lucky. If all simulations would take too long, smaller matrices with the same tiles are
/// simulated first, and only the best few candidates are simulated with larger matrices; the last matrix may still be
/// smaller than requested. The result does not depend on the speed of this machine. Passes on the errors of `simulate`,
/// and throws `invalid_argument` if tasks are restricted to workers by number. `candidates` must not be empty.
[[nodiscard]] ClusterChoice choose_clusters(const SimulatedRun& run,
                                            const std::vector<platform::ClusterCandidate>& candidates,
                                            const ClusterSearchOptions& options);

/// Chooses from all clusters that the cores of the described machine can form. Returns single cores, with a remark, if
/// a kernel has no times on clusters.
[[nodiscard]] ClusterChoice choose_described_clusters(const SimulatedRun& run, const ClusterSearchOptions& options);

/// Checks the description of the machine. Fails with `bad_input` if it has no times of one of the run's kernels on
/// clusters of `cores` cores.
[[nodiscard]] Result<void> check_cluster_times(const SimulatedRun& run, int cores);

}  // namespace troupe::apps
