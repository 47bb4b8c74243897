/// The figures of a report, and its files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/simulate/scaling_chart.hpp"
#include "proto/median.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

struct ExperimentFigure {
  /// The name of the file without its extension, such as "figure4".
  std::string name;
  std::string title;
  ScalingChart chart;
};

/// Returns a point with medians and their intervals. The chart shows bytes in GB.
[[nodiscard]] ChartPoint chart_point(double x, const MedianInterval& gflops, const MedianInterval& bytes);

/// Adds a row with those series that have points. Adds nothing if no series has points.
void add_chart_row(ScalingChart& chart, const std::string& title, std::vector<ChartSeries> series);

/// Returns Markdown with a heading and the picture below it. The picture's file must be in the folder of the text.
[[nodiscard]] std::string figure_markdown(const std::string& name, const std::string& title);

/// Draws each figure as an SVG file into `folder`, which must exist. Then writes the files, each with its name and its
/// content. Fails with `io`.
[[nodiscard]] Result<void> write_report(const std::string& folder, const std::vector<ExperimentFigure>& figures,
                                        const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace troupe::apps
