/// Simulates how policies share out independent matrix products between cores and a GPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "troupe/machine.hpp"

namespace troupe::apps {

/// The experiment in the paper on clusters: 28 products of tiles of order 960.
inline constexpr int kProducts = 28;
inline constexpr std::int64_t kProductTile = 960;

struct ProductShares {
  /// The number of products of each core or cluster that got any, in descending order.
  std::vector<std::uint64_t> cores;
  std::uint64_t gpu = 0;
  double seconds = 0;

  /// Returns the shares, such as "5 + 5 + 18"; the GPU's is the last.
  [[nodiscard]] std::string text() const;
};

/// Simulates `kProducts` products without data, so that nothing is copied, on `cores` cores grouped as `clusters` says,
/// and the machine's first GPU. Throws `Error` like `simulate`.
[[nodiscard]] ProductShares share_products(platform::MachineDescription machine, int cores, const std::string& clusters,
                                           const std::string& policy);

/// Returns the shortest makespan of `kProducts` products on `clusters` clusters of ten cores and the GPU.
[[nodiscard]] double best_makespan(const platform::MachineDescription& machine, int clusters);

}  // namespace troupe::apps
