/// Sizes of clusters that are found before a run, by simulating it with each.
#pragma once

#include <vector>

#include "apps/run/cluster_choice.hpp"
#include "apps/simulate/simulated_factorization.hpp"
#include "apps/terminal/progress.hpp"
#include "platform/machine/cluster_candidates.hpp"

namespace troupe::apps {

struct ClusterSearchOptions {
  /// All simulations together have at most about so many tasks, of some 10 us each; at least one of each kind.
  double most_tasks = 6e5;
  /// As `simulate_all`.
  int jobs = 1;
  ProgressOptions progress = {};
};

/// Simulates `run` with each of the candidates and finds the fastest; of equals the first. Its clusters, noise and
/// trace are not used: kernels take their means. Where all simulations would have too many tasks, smaller matrices in
/// the same tiles are simulated first, and the best few of the candidates go on to larger ones; the last may still be
/// smaller than asked for. Does not depend on how fast this machine is. Throws what `simulate` throws. `candidates` is
/// not empty.
[[nodiscard]] ClusterChoice choose_clusters(const SimulatedRun& run,
                                            const std::vector<platform::ClusterCandidate>& candidates,
                                            const ClusterSearchOptions& options);

/// The same with all that the cores of the described machine can form; single cores, with a remark, where a kernel has
/// no times on clusters.
[[nodiscard]] ClusterChoice choose_described_clusters(const SimulatedRun& run, const ClusterSearchOptions& options);

/// Fails with `bad_input` where the description has no times of one of the run's kernels on clusters of so many cores.
[[nodiscard]] Result<void> check_cluster_times(const SimulatedRun& run, int cores);

}  // namespace troupe::apps
