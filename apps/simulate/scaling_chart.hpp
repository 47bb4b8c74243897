/// Speed and bytes over the number of GPUs, or over something else, as a picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/simulate/estimate.hpp"
#include "proto/errors.hpp"

namespace troupe::apps {

/// With the ends of its error bar.
struct ChartValue {
  double value = 0;
  double low = 0;
  double high = 0;

  ChartValue(double of, double from, double to) : value(of), low(from), high(to) {}
  ChartValue(const Estimate& mean)  // NOLINT: a mean with its margin is a value with a bar
      : ChartValue(mean.mean, mean.mean - mean.margin, mean.mean + mean.margin) {}
};

struct ChartPoint {
  double x;
  ChartValue gflops;
  /// Nothing, of all points of a series: there is no such value (of a bound, say).
  std::optional<ChartValue> gigabytes;
};

struct ChartSeries {
  std::string name;
  /// By x.
  std::vector<ChartPoint> points;
};

/// One row of the picture: on the left GFlop/s, or another quantity, on the right GB moved, each a line with error bars
/// per series.
struct ChartRow {
  /// Empty: none.
  std::string title;
  std::vector<ChartSeries> series;
};

struct ScalingChart {
  std::string title;
  /// At least one.
  std::vector<ChartRow> rows;
  /// What x is: a number of GPUs, from 0 on, or another quantity.
  std::string axis = "GPUs";
  /// Between two marks of the axis.
  double step = 1;
  /// What is on the left.
  std::string quantity = "GFlop/s";
};

/// For gnuplot, which prints an SVG.
[[nodiscard]] std::string chart_script(const ScalingChart& chart);

/// Draws `path`, which appears complete or not at all. `ErrorCode::io`.
[[nodiscard]] Result<void> draw_chart(const std::string& path, const ScalingChart& chart);

}  // namespace troupe::apps
