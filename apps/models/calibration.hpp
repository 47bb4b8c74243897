/// Measures the tile kernels of the applications on every kind of device, so that the first real run knows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "actors/running/runtime_options.hpp"
#include "apps/terminal/progress.hpp"
#include "platform/machine/cluster_candidates.hpp"

namespace troupe::apps {

struct CalibrationOptions {
  /// Devices, and the folder where the times are kept. The policy is not used.
  RuntimeOptions runtime;
  /// Edges of tiles.
  std::vector<std::int64_t> tiles;
  /// "float", "double".
  std::vector<std::string> precisions;
  /// Tasks of each kernel and size on each kind of device. A mean of three is believed; two more let one of them, the
  /// first on cold caches say, be set aside, and show a deviation.
  std::uint64_t samples = 5;
  /// Specifications of clusters of cores that are measured one after the other; empty: single cores.
  std::vector<std::string> clusters{""};
};

struct CalibrationResult {
  std::uint64_t tasks = 0;
  double seconds = 0;
  /// "double, tile 512": where a kernel has not been measured so often on some kind of device.
  std::vector<std::string> incomplete;
};

/// Those with whose times the times of all that cores can form follow: single cores, clusters as large as any that is
/// worth looking at, and clusters of half that size or, where there are none, of the size nearest to it.
[[nodiscard]] std::vector<std::string> telling_clusters(const RuntimeOptions& options);
/// The same of those that the cores can form.
[[nodiscard]] std::vector<std::string> telling_clusters(const std::vector<platform::ClusterCandidate>& candidates);

/// Factorizes small matrices of four by four tiles, by Cholesky, LU with partial, incremental and no pivoting and QR,
/// and solves with the factors, again and again, until each kernel has run so often on each kind of device that can run
/// it; with each of the clusters. Tiles as they lie in a run. Throws what `Runtime` throws.
[[nodiscard]] CalibrationResult calibrate(const CalibrationOptions& options, const ProgressOptions& progress);

}  // namespace troupe::apps
