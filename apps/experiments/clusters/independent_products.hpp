/// Independent matrix products on cores and a GPU: how policies share them out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/described/machine_description.hpp"

namespace troupe::apps {

/// The paper on clusters has 28 products of tiles of order 960.
inline constexpr int kProducts = 28;
inline constexpr std::int64_t kProductTile = 960;

struct ProductShares {
  /// Of all cores or clusters that got any, falling.
  std::vector<std::uint64_t> cores;
  std::uint64_t gpu = 0;
  double seconds = 0;

  /// "5 + 5 + 18": the GPU's are the last.
  [[nodiscard]] std::string text() const;
};

/// Simulates that many products without data, so that nothing is copied, on so many cores, as `clusters` says, and the
/// machine's first GPU. Throws `Error` as `simulate`.
[[nodiscard]] ProductShares share_products(platform::MachineDescription machine, int cores, const std::string& clusters,
                                           const std::string& policy);

/// The shortest makespan of `kProducts` products where clusters of ten (`clusters` of them) and the GPU are all there
/// is.
[[nodiscard]] double best_makespan(const platform::MachineDescription& machine, int clusters);

}  // namespace troupe::apps
