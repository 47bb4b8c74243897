/// How a launch is cut.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace troupe::opencl {

/// Indices of work-items along one dimension, on one device.
struct RangePart {
  /// Of the shares.
  std::size_t device = 0;
  std::size_t first = 0;
  std::size_t count = 0;

  friend bool operator==(const RangePart&, const RangePart&) = default;
};

/// Cuts [0, size) into parts, one behind the other, whose sizes are multiples of `grain` but for the last one's.
/// Device i gets about `shares[i]` of the whole (they sum up to 1), spread over `rounds` parts where that leaves
/// something for each: where the work of items differs, all get some of both. Those with nothing have no part; whoever
/// has a share gets a grain at least, as far as there are enough.
[[nodiscard]] std::vector<RangePart> parts_of(std::size_t size, std::size_t grain, std::span<const double> shares,
                                              std::size_t rounds);

}  // namespace troupe::opencl
