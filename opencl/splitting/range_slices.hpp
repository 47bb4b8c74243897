/// Divides a launch into slices.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace troupe::opencl {

/// The range of work-item indices, along one dimension, that goes to one device.
struct RangeSlice {
  /// The device's index in the list of fractions (`fractions`).
  std::size_t device = 0;
  std::size_t first = 0;
  std::size_t count = 0;

  friend bool operator==(const RangeSlice&, const RangeSlice&) = default;
};

/// Cuts [0, size) into consecutive slices. The sizes of all slices but the last are multiples of `grain`. Device i gets
/// about `fractions[i]` of the whole (these fractions sum up to 1). If there are enough grains, each device's fraction
/// is spread over `rounds` slices; each device then gets items from all regions of the range, which may differ in work.
/// A device with fraction 0 gets no slice; every other device gets at least one grain, as long as there are enough
/// grains.
[[nodiscard]] std::vector<RangeSlice> slices_of(std::size_t size, std::size_t grain, std::span<const double> fractions,
                                                std::size_t rounds);

}  // namespace troupe::opencl
