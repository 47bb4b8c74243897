/// Simulates how policies distribute independent matrix products among cores and a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/machine.hpp"

namespace troupe::apps {

/// The experiment of the paper on clusters: 28 products of tiles of order 960.
inline constexpr int kProducts = 28;
inline constexpr std::int64_t kProductTile = 960;

struct ProductDistribution {
  /// The numbers of products on the cores or clusters that got at least one, in descending order.
  std::vector<std::uint64_t> cores;
  std::uint64_t gpu = 0;
  double seconds = 0;

  /// Returns the numbers of products as text, such as "5 + 5 + 18"; the last number is the GPU's.
  [[nodiscard]] std::string text() const;
};

/// Simulates `kProducts` products on the machine's first GPU and on `cores` cores, which are grouped by `clusters`. The
/// products have no data, so nothing is copied. Throws `Error` like `simulate`.
[[nodiscard]] ProductDistribution distribute_products(platform::MachineDescription machine, int cores,
                                                      const std::string& clusters, const std::string& policy);

/// Returns the shortest possible makespan of `kProducts` products on `clusters` clusters of ten cores and the GPU.
[[nodiscard]] double best_makespan(const platform::MachineDescription& machine, int clusters);

}  // namespace troupe::apps
