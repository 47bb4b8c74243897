#include "lab/experiments/experiment_figures.hpp"

#include <fmt/format.h>

#include "platform/files/atomic_file.hpp"

namespace troupe::apps {

namespace {

ChartValue chart_value(const MedianInterval& median, double factor) {
  return {factor * median.median, factor * median.low, factor * median.high};
}

}  // namespace

ChartPoint chart_point(double x, const MedianInterval& gflops, const MedianInterval& bytes) {
  return {x, chart_value(gflops, 1), chart_value(bytes, 1e-9)};
}

void add_chart_row(ScalingChart& chart, const std::string& title, std::vector<ChartSeries> series) {
  std::erase_if(series, [](const ChartSeries& one) { return one.points.empty(); });
  if (!series.empty()) chart.rows.push_back({title, std::move(series)});
}

std::string figure_markdown(const std::string& name, const std::string& title) {
  return fmt::format("\n## {}\n\n![{}]({}.svg)\n", title, title, name);
}

Result<void> write_report(const std::string& folder, const std::vector<ExperimentFigure>& figures,
                          const std::vector<std::pair<std::string, std::string>>& files) {
  for (const ExperimentFigure& figure : figures) {
    if (auto drawn = draw_chart(folder + '/' + figure.name + ".svg", figure.chart); !drawn) return drawn;
  }
  for (const auto& [name, content] : files) {
    if (auto done = platform::write_file(folder + '/' + name, content); !done) return done;
  }
  return {};
}

}  // namespace troupe::apps
