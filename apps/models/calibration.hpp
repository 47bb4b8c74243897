/// Measures the tile kernels of the applications on every kind of device, so that their times are known before the
/// first real run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/terminal/progress.hpp"
#include "platform/machine/cluster_candidates.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::apps {

struct CalibrationOptions {
  /// The devices, and the folder where the times are stored. The policy is ignored.
  RuntimeOptions runtime;
  /// The edges of the tiles.
  std::vector<std::int64_t> tiles;
  /// The precisions: "float" or "double".
  std::vector<std::string> precisions;
  /// The number of tasks of each kernel and size on each kind of device. A mean is used from three samples on. With two
  /// more samples, one outlier (such as the first task on cold caches) can be ignored, and a deviation is known.
  std::uint64_t samples = 5;
  /// The specifications of clusters of cores, measured one after the other; an empty text means single cores.
  std::vector<std::string> clusters{""};
};

struct CalibrationResult {
  std::uint64_t tasks = 0;
  double seconds = 0;
  /// Entries such as "double, tile 512", for which a kernel has fewer than `samples` measurements on some kind of
  /// device.
  std::vector<std::string> incomplete;
};

/// Returns the clusters that have to be measured so that the times of all clusters of these cores can be derived:
/// single cores, the largest useful clusters, and clusters of half that size or, if there are none, of the nearest
/// size.
[[nodiscard]] std::vector<std::string> telling_clusters(const RuntimeOptions& options);
/// Returns the clusters to measure for these candidates, which are all clusters that the cores can form.
[[nodiscard]] std::vector<std::string> telling_clusters(const std::vector<platform::ClusterCandidate>& candidates);

/// Factorizes small matrices of four by four tiles, by Cholesky, QR, and LU with partial, incremental and no pivoting,
/// and solves with the factors. Repeats this for each of the clusters until each kernel has run `samples` times on each
/// kind of device that can run it. Tiles lie in memory as in a real run. Passes on the errors of `Runtime`.
[[nodiscard]] CalibrationResult calibrate(const CalibrationOptions& options, const ProgressOptions& progress);

}  // namespace troupe::apps
