#include "lab/bench/metg.hpp"

#include <cmath>

namespace troupe::bench {

std::optional<Metg> metg_of(std::span<const CurvePoint> curve) {
  const CurvePoint* above = nullptr;
  for (const CurvePoint& point : curve) {
    const bool enough = point.efficiency >= kMetgEfficiency;
    if (enough && (above == nullptr || point.iterations < above->iterations)) above = &point;
  }
  if (above == nullptr) return std::nullopt;
  const CurvePoint* below = nullptr;
  for (const CurvePoint& point : curve) {
    const bool smaller = point.iterations < above->iterations;
    if (smaller && (below == nullptr || point.iterations > below->iterations)) below = &point;
  }
  if (below == nullptr) return Metg{above->granularity_us, false};
  const double fraction = (above->efficiency - kMetgEfficiency) / (above->efficiency - below->efficiency);
  const double crossing = above->iterations * std::pow(below->iterations / above->iterations, fraction);
  // The granularity (average time of a task) is proportional to iterations / efficiency.
  const double constant = above->granularity_us * above->efficiency / above->iterations;
  return Metg{constant * crossing / kMetgEfficiency, true};
}

}  // namespace troupe::bench
