#include "opencl/splitting/range_slices.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::opencl {

std::vector<RangeSlice> slices_of(std::size_t size, std::size_t grain, std::span<const double> fractions,
                                  std::size_t rounds) {
  std::vector<RangeSlice> slices;
  const std::size_t grains = (size + grain - 1) / grain;
  const auto sharing =
      static_cast<std::size_t>(std::ranges::count_if(fractions, [](double fraction) { return fraction > 0; }));
  const bool enough = grains >= sharing;
  // The sum of the fractions of the slices so far, not rounded. Each slice's end is computed from this sum and then
  // rounded, so that rounding errors do not add up.
  double end = 0;
  std::size_t begin = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    // In the first round each device with a fraction above 0 gets at least one grain, and leaves one grain for each
    // such device that follows.
    std::size_t later = round == 0 && enough ? sharing : 0;
    for (std::size_t device = 0; device < fractions.size(); ++device) {
      end += fractions[device] / static_cast<double>(rounds);
      const bool last = round + 1 == rounds && device + 1 == fractions.size();
      auto rounded = static_cast<std::size_t>(std::llround(end * static_cast<double>(grains)));
      if (later > 0 && fractions[device] > 0) {
        --later;
        rounded = std::min(std::max(rounded, begin / grain + 1), grains - later);
      }
      const std::size_t until = last ? size : std::min(rounded * grain, size);
      if (until <= begin) continue;
      if (!slices.empty() && slices.back().device == device) {
        slices.back().count += until - begin;
      } else {
        slices.push_back({device, begin, until - begin});
      }
      begin = until;
    }
  }
  return slices;
}

}  // namespace troupe::opencl
