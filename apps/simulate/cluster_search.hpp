/// Sizes of clusters that are found before a run, by simulating it with each.
#pragma once

#include <string>
#include <vector>

#include "apps/run/cluster_choice.hpp"
#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"
#include "platform/machine/cluster_candidates.hpp"

namespace troupe::apps {

struct ClusterSearchOptions {
  /// What all simulations together may take on one core, by rule of thumb: tasks * workers * 0.4 us. Small ones are
  /// made in any case.
  double most_seconds = 6;
  /// As `simulate_all`.
  int jobs = 1;
  /// Clusters that change while it runs are tried, too, under this policy; empty: they are not.
  std::string changing_policy = {};
  ProgressOptions progress = {};
};

/// Simulates `run` with each of the candidates, and with clusters that change from one to another, and finds the
/// fastest; single cores where nothing is 0.3 % faster. Its
/// clusters and trace are not used. Kernels take their means. Where the run has noise, those that come within 10 % of
/// the best are simulated 4 to 25 times more, with noise of other seeds than the run's, and the mean of these decides:
/// the best of many single runs owes something to luck. Where all simulations would take too long, smaller matrices in
/// the same tiles are simulated first, and the best few of the candidates go on to larger ones; the last may still be
/// smaller than asked for. Does not depend on how fast this machine is. Throws what `simulate` throws, and
/// `invalid_argument` where tasks are restricted to workers by number. `candidates` is not empty.
[[nodiscard]] ClusterChoice choose_clusters(const SimulatedRun& run,
                                            const std::vector<platform::ClusterCandidate>& candidates,
                                            const ClusterSearchOptions& options);

/// The same with all that the cores of the described machine can form; single cores, with a remark, where a kernel has
/// no times on clusters.
[[nodiscard]] ClusterChoice choose_described_clusters(const SimulatedRun& run, const ClusterSearchOptions& options);

/// Fails with `bad_input` where the description has no times of one of the run's kernels on clusters of so many cores.
[[nodiscard]] Result<void> check_cluster_times(const SimulatedRun& run, int cores);

}  // namespace troupe::apps
