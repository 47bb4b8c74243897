/// The minimum effective task granularity, METG(50%): the smallest average time of a task at which the cores still
/// reach half of their possible rate.
///
/// The definition is from Slaughter et al., SC20, section IV. Efficiency is the rate of kernel iterations divided by
/// the rate that all cores reach without a runtime; granularity is wall time x cores / tasks.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace troupe::bench {

struct CurvePoint {
  double iterations = 0;
  double granularity_us = 0;
  double efficiency = 0;
};

inline constexpr double kMetgEfficiency = 0.5;

/// The granularity at which the efficiency of a curve falls below 50 %. It is interpolated between the smallest tasks
/// (in iterations) that reach 50 % and the next smaller tasks, with iterations on a logarithmic scale and efficiency on
/// a linear scale. Points may be in any order, with different iterations. There is no result if no point reaches 50 %.
/// If no point is below 50 %, `bounded` is false: the smallest measured granularity is then an upper bound.
struct Metg {
  double us = 0;
  bool bounded = true;
};
[[nodiscard]] std::optional<Metg> metg_of(std::span<const CurvePoint> curve);

}  // namespace troupe::bench
