#include "opencl/splitting/range_parts.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::opencl {

std::vector<RangePart> parts_of(std::size_t size, std::size_t grain, std::span<const double> shares,
                                std::size_t rounds) {
  std::vector<RangePart> parts;
  const std::size_t grains = (size + grain - 1) / grain;
  // Where the parts end by their shares, rounded to grains each for itself, so that nothing adds up.
  double end = 0;
  std::size_t begin = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t device = 0; device < shares.size(); ++device) {
      end += shares[device] / static_cast<double>(rounds);
      const bool last = round + 1 == rounds && device + 1 == shares.size();
      const auto rounded = static_cast<std::size_t>(std::llround(end * static_cast<double>(grains)));
      const std::size_t until = last ? size : std::min(rounded * grain, size);
      if (until <= begin) continue;
      if (!parts.empty() && parts.back().device == device) {
        parts.back().count += until - begin;
      } else {
        parts.push_back({device, begin, until - begin});
      }
      begin = until;
    }
  }
  return parts;
}

}  // namespace troupe::opencl
