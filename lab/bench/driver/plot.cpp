#include "lab/bench/driver/plot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/picture/gnuplot.hpp"
#include "traces/picture/gnuplot_text.hpp"

namespace troupe::bench {
namespace {

/// Adds the points of one contestant, one line for each: row, median, low and high end of the interval. The points of
/// one row are drawn side by side.
void add_block(traces::GnuplotScript& script, const Results& results, std::size_t contestant) {
  const auto count = static_cast<double>(results.plan.contestants.size());
  const double offset = (static_cast<double>(contestant) + 0.5) / count * 0.7 - 0.35;
  script.add("$data{} << EOD", contestant);
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const RowResult& row = results.rows[i];
    const Series& series = row.series[contestant];
    if (!series.measured()) continue;
    const Estimate figure = estimate(series.samples.at(row.row.keys.front()));
    script.add("{} {} {} {}", static_cast<double>(i) + offset, figure.median, figure.low, figure.high);
  }
  script.add("EOD");
}

std::string tics_of(const Results& results) {
  std::string tics;
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const std::string label = fmt::format("{}", fmt::join(results.rows[i].row.labels, " "));
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", traces::gnuplot_string(traces::abbreviated(label, 48)), i);
  }
  return tics;
}

bool has_points(const Results& results, std::size_t contestant) {
  return std::ranges::any_of(results.rows, [&](const RowResult& row) { return row.series[contestant].measured(); });
}

}  // namespace

std::string plot_script(const Results& results) {
  const std::size_t rows = results.rows.size();
  traces::GnuplotScript script;
  std::string plots;
  for (std::size_t i = 0; i < results.plan.contestants.size(); ++i) {
    if (!has_points(results, i)) continue;
    add_block(script, results, i);
    plots += fmt::format("{}$data{} using 1:2:3:4 with yerrorbars pointtype 7 pointsize 0.6 linewidth 1.5 title {}",
                         plots.empty() ? "" : ", ", i, traces::gnuplot_string(results.plan.contestants[i].label()));
  }
  script.add("set terminal svg size {},560 enhanced font 'DejaVu Sans,12' background 'white'",
             std::max<std::size_t>(300 + 70 * rows, 760));
  script.add("set title {} noenhanced", traces::gnuplot_string(results.plan.title));
  script.add("set key outside right top noenhanced\nset grid ytics\nset logscale y\nset format y '%g'");
  script.add("set xrange [-0.5:{}]", static_cast<double>(rows) - 0.5);
  script.add("set xtics rotate by -35 noenhanced ({})", tics_of(results));
  script.add("plot {}", plots);
  return script.take();
}

Result<void> draw_plot(const std::string& path, const Results& results) {
  return traces::draw_with_gnuplot(path, plot_script(results));
}

}  // namespace troupe::bench
