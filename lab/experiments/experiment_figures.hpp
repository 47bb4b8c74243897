/// The pictures of a report.
#pragma once

#include <string>
#include <vector>

#include "apps/simulate/scaling_chart.hpp"
#include "proto/median.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

struct ExperimentFigure {
  /// The file's name without its ending, such as "figure4".
  std::string name;
  std::string title;
  ScalingChart chart;
};

/// Returns a point of medians with their intervals. Bytes are drawn as GB.
[[nodiscard]] ChartPoint chart_point(double x, const MedianInterval& gflops, const MedianInterval& bytes);

/// Adds a row with the series that have points; adds nothing if no series has any.
void add_chart_row(ScalingChart& chart, const std::string& title, std::vector<ChartSeries> series);

/// Returns a heading and the picture below it, as Markdown. The picture's file lies beside the text.
[[nodiscard]] std::string figure_markdown(const std::string& name, const std::string& title);

/// Draws each figure as an SVG into `folder`, which exists. Fails with `io`.
[[nodiscard]] Result<void> draw_figures(const std::string& folder, const std::vector<ExperimentFigure>& figures);

}  // namespace troupe::apps
