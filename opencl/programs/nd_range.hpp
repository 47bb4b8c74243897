/// The work-items of a launch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace troupe::opencl {

struct NdRange {
  unsigned dimensions = 1;
  std::array<std::size_t, 3> offset{};
  std::array<std::size_t, 3> global{1, 1, 1};
  /// The size of groups if `has_local`; otherwise the device chooses the size.
  std::array<std::size_t, 3> local{1, 1, 1};
  bool has_local = false;

  /// Returns a hash of the sizes.
  [[nodiscard]] std::uint64_t footprint() const {
    std::uint64_t hash = dimensions;
    for (const auto& sizes : {global, local}) {
      for (const std::size_t size : sizes) hash = (hash ^ size) * 0x9e3779b97f4a7c15ULL;
    }
    return hash;
  }
  /// Returns the number of work-items.
  [[nodiscard]] std::size_t items() const { return global[0] * global[1] * global[2]; }
};

}  // namespace troupe::opencl
