/// The pictures of a report.
#pragma once

#include <string>
#include <vector>

#include "apps/simulate/scaling_chart.hpp"
#include "proto/errors.hpp"
#include "proto/median.hpp"

namespace troupe::apps {

struct ExperimentFigure {
  /// "figure4": the file, less its ending.
  std::string name;
  std::string title;
  ScalingChart chart;
};

/// Medians with their intervals. Bytes are drawn as GB.
[[nodiscard]] ChartPoint chart_point(double x, const MedianInterval& gflops, const MedianInterval& bytes);

/// Adds a row, less the series that have no points; none where no series has any.
void add_chart_row(ScalingChart& chart, const std::string& title, std::vector<ChartSeries> series);

/// A heading, and the picture below it, as Markdown. The file lies beside the text.
[[nodiscard]] std::string figure_markdown(const std::string& name, const std::string& title);

/// Draws each as an SVG into `folder`, which exists. `io`.
[[nodiscard]] Result<void> draw_figures(const std::string& folder, const std::vector<ExperimentFigure>& figures);

}  // namespace troupe::apps
