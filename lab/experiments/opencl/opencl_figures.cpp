#include "lab/experiments/opencl/opencl_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace troupe::apps {

namespace {

/// Returns the speeds of the lines in one row, over the number of blocks.
std::vector<ChartSeries> speeds(const OpenClVirtualResults& results, const std::vector<OpenClPlace>& places) {
  std::map<std::string, ChartSeries> lines;
  for (const auto& [key, point] : results.points()) {
    const auto& [place, name] = key;
    if (std::ranges::find(places, place) == places.end()) continue;
    const double items = place.items() / 1e6;
    const MedianInterval& seconds = point.seconds;
    // The longest time corresponds to the lowest speed.
    const MedianInterval speed{items / seconds.median, items / seconds.high, items / seconds.low, 0, 0};
    ChartSeries& line = lines.try_emplace(name, ChartSeries{name, {}}).first->second;
    line.points.push_back(chart_point(place.blocks, speed, point.bytes));
  }
  std::vector<ChartSeries> all;
  for (auto& [name, line] : lines) all.push_back(std::move(line));
  return all;
}

ScalingChart chart_of(const std::string& title, const std::string& setting, const char* what, double step) {
  ScalingChart chart{fmt::format("{}: {}", title, setting), {}, what, step};
  chart.quantity = "10^6 a second";
  return chart;
}

}  // namespace

std::vector<ExperimentFigure> opencl_figures(const OpenClVirtualResults& results, const std::string& policy,
                                             const std::string& setting) {
  std::vector<ExperimentFigure> figures;
  std::map<std::int64_t, std::vector<OpenClPlace>> by_size;
  for (const OpenClPlace& place : results.places(OpenClProgram::black_scholes)) by_size[place.size].push_back(place);
  ExperimentFigure blocks{"figure3", "Black-Scholes, options that are priced",
                          chart_of("Black-Scholes", setting, "blocks", 20)};
  for (const auto& [size, places] : by_size) {
    add_chart_row(blocks.chart, fmt::format("blocks of {:g} million options", static_cast<double>(size) / 1e6),
                  speeds(results, places));
  }
  figures.push_back(std::move(blocks));
  ExperimentFigure reuse{"figure3d", "Ten times the same 25 million options",
                         chart_of("Black-Scholes, ten times", setting, "blocks", 25)};
  add_chart_row(reuse.chart, "25 million options", speeds(results, results.places(OpenClProgram::reuse)));
  figures.push_back(std::move(reuse));
  ExperimentFigure frames{"figure5", "Tone mapping, pixels", chart_of("Tone mapping", setting, "bands", 2)};
  std::vector<ChartSeries> lines = speeds(results, results.places(OpenClProgram::tone_mapping));
  std::erase_if(lines, [&](const ChartSeries& line) {
    return line.name != opencl_lines::kRoundRobin && !line.name.ends_with(", heft") &&
           !line.name.ends_with(", " + policy);
  });
  add_chart_row(frames.chart, "20 frames of 1600 x 12000 pixels", std::move(lines));
  figures.push_back(std::move(frames));
  std::erase_if(figures, [](const ExperimentFigure& one) { return one.chart.rows.empty(); });
  return figures;
}

}  // namespace troupe::apps
