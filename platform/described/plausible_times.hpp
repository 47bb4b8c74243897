/// Finds mistakes in kernel times, such as milliseconds in place of microseconds, or one zero too many.
#pragma once

#include <string>
#include <vector>

#include "troupe/machine.hpp"

namespace troupe::platform {

/// All times that a file gives for one kernel.
struct DescribedKernel {
  std::string application;
  std::string kernel;
  std::string precision;
  std::vector<TileTimes> tiles;
  /// For each tile, the place in the file where its times were read.
  std::vector<std::string> paths;
};

/// Returns a message that names two places in the file and the criterion that their times break, or "" if no time is
/// wrong. A time is wrong if
///
/// - from one tile of a kernel to the next larger tile, the time or the rate falls by a factor of more than
///   `kBetweenTiles` (in Troupe's own machines at most 2.2), or the operations divided by the cube of the edge change
///   by more than this factor;
/// - a cluster of k cores takes more than `kBetweenCores` times as long as one core, or less than 1 / (k *
///   `kBetweenCores`) of its time (in Troupe's own machines at least 1 / (0.86 k));
/// - of two GPUs of one model, one takes more than `kBetweenGpus` times as long (in Troupe's own machines at most 5.6);
/// - a kernel's best rate is more than `kBetweenKernelsOnCores` times above or below the median of the other kernels'
///   (in Troupe's own machines at most 13), or on GPUs `kBetweenKernelsOnGpus` times (at most 48).
///
/// A rate is the number of operations divided by the time. For kernels without a number of operations, the first
/// criterion uses the cube of the edge instead, and the last criterion is not checked. `models` holds the model of each
/// GPU.
[[nodiscard]] std::string implausible_time(const std::vector<DescribedKernel>& kernels,
                                           const std::vector<std::string>& models);

inline constexpr double kBetweenTiles = 30;
inline constexpr double kBetweenCores = 10;
inline constexpr double kBetweenGpus = 50;
inline constexpr double kBetweenKernelsOnCores = 100;
inline constexpr double kBetweenKernelsOnGpus = 300;

}  // namespace troupe::platform
