/// A chart of speed and bytes over the number of GPUs, or over another quantity.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/simulate/estimate.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

/// A value, with the ends of its error bar.
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
  /// The gigabytes that were copied. A series without bytes (for example a bound) has no value at any of its points.
  std::optional<ChartValue> gigabytes;
};

struct ChartSeries {
  std::string name;
  /// The points, ordered by x.
  std::vector<ChartPoint> points;
};

/// One row of the picture: GFlop/s or another quantity on the left, copied GB on the right. Each panel has one line
/// with error bars for each series.
struct ChartRow {
  /// The row's title; empty if there is none.
  std::string title;
  std::vector<ChartSeries> series;
};

struct ScalingChart {
  std::string title;
  /// The rows; at least one.
  std::vector<ChartRow> rows;
  /// The label of the x axis, whose values are numbers of GPUs, or another quantity.
  std::string axis = "GPUs";
  /// The distance between two marks of the axis.
  double step = 1;
  /// The name of the quantity in the left panels.
  std::string quantity = "GFlop/s";
};

/// Returns a script for gnuplot, which prints an SVG.
[[nodiscard]] std::string chart_script(const ScalingChart& chart);

/// Draws the chart into the file `path`, which appears complete or not at all. Fails with `ErrorCode::io`.
[[nodiscard]] Result<void> draw_chart(const std::string& path, const ScalingChart& chart);

}  // namespace troupe::apps
