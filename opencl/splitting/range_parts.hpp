/// Divides a launch into parts.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace troupe::opencl {

/// The range of work-item indices, along one dimension, that one device gets.
struct RangePart {
  /// The device's index in the shares.
  std::size_t device = 0;
  std::size_t first = 0;
  std::size_t count = 0;

  friend bool operator==(const RangePart&, const RangePart&) = default;
};

/// Cuts [0, size) into consecutive parts whose sizes, except for the last one's, are multiples of `grain`. Device i
/// gets about `shares[i]` of the whole (they sum up to 1), spread over `rounds` parts if that leaves something for
/// each: if items differ in work, each device then gets some of all kinds. A device with the share 0 has no part; a
/// device with a share gets at least one grain, as far as there are enough.
[[nodiscard]] std::vector<RangePart> parts_of(std::size_t size, std::size_t grain, std::span<const double> shares,
                                              std::size_t rounds);

}  // namespace troupe::opencl
