#include "bench/metg.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::bench {

std::optional<Metg> metg_of(std::span<const CurvePoint> curve) {
  const CurvePoint* above = nullptr;
  for (const CurvePoint& point : curve) {
    const bool enough = point.efficiency >= kMetgEfficiency;
    if (enough && (above == nullptr || point.granularity_us < above->granularity_us)) above = &point;
  }
  if (above == nullptr) return std::nullopt;
  const CurvePoint* below = nullptr;
  for (const CurvePoint& point : curve) {
    const bool smaller = point.granularity_us < above->granularity_us;
    if (smaller && (below == nullptr || point.granularity_us > below->granularity_us)) below = &point;
  }
  if (below == nullptr) return Metg{above->granularity_us, false};
  const double share = (above->efficiency - kMetgEfficiency) / (above->efficiency - below->efficiency);
  const double logarithm = std::log(above->granularity_us) * (1 - share) + std::log(below->granularity_us) * share;
  return Metg{std::exp(logarithm), true};
}

}  // namespace troupe::bench
