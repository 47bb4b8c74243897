#include "bench/driver/plot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "platform/files/atomic_file.hpp"
#include "traces/picture/child_process.hpp"
#include "traces/picture/gnuplot_text.hpp"

namespace troupe::bench {
namespace {

/// One contestant's points: row, median, low, high. Those of a row lie side by side.
std::string block_of(const Results& results, std::size_t contestant) {
  const auto count = static_cast<double>(results.plan.contestants.size());
  const double offset = (static_cast<double>(contestant) + 0.5) / count * 0.7 - 0.35;
  std::string block = fmt::format("$data{} << EOD\n", contestant);
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const RowResult& row = results.rows[i];
    const Series& series = row.series[contestant];
    if (!series.measured()) continue;
    const Estimate figure = estimate(series.samples.at(row.row.keys.front()));
    block += fmt::format("{} {} {} {}\n", static_cast<double>(i) + offset, figure.median, figure.low, figure.high);
  }
  return block + "EOD\n";
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
  for (const RowResult& row : results.rows) {
    if (row.series[contestant].measured()) return true;
  }
  return false;
}

}  // namespace

std::string plot_script(const Results& results) {
  const std::size_t rows = results.rows.size();
  std::string script;
  std::string plots;
  for (std::size_t i = 0; i < results.plan.contestants.size(); ++i) {
    if (!has_points(results, i)) continue;
    script += block_of(results, i);
    plots += fmt::format("{}$data{} using 1:2:3:4 with yerrorbars pointtype 7 pointsize 0.6 linewidth 1.5 title {}",
                         plots.empty() ? "" : ", ", i, traces::gnuplot_string(results.plan.contestants[i].label()));
  }
  script += fmt::format("set terminal svg size {},560 enhanced font 'DejaVu Sans,12' background 'white'\n",
                        std::max<std::size_t>(300 + 70 * rows, 760));
  script += fmt::format("set title {} noenhanced\n", traces::gnuplot_string(results.plan.title));
  script += "set key outside right top noenhanced\nset grid ytics\nset logscale y\nset format y '%g'\n";
  script += fmt::format("set xrange [-0.5:{}]\n", static_cast<double>(rows) - 0.5);
  script += fmt::format("set xtics rotate by -35 noenhanced ({})\n", tics_of(results));
  return script + "plot " + plots + "\n";
}

Result<void> draw_plot(const std::string& path, const Results& results) {
  constexpr std::chrono::seconds kLimit{120};
  const auto drawn = traces::run_child({"gnuplot", "-d"}, plot_script(results), kLimit);
  if (!drawn) {
    return Failure{ErrorCode::io, fmt::format("{}. Plots are drawn by gnuplot: install the package gnuplot-nox",
                                              drawn.failure().message)};
  }
  if (drawn.value().exit_status != 0 || drawn.value().output.empty()) {
    return Failure{ErrorCode::io, "gnuplot could not draw the plot: " + drawn.value().errors};
  }
  return platform::write_file(path, drawn.value().output);
}

}  // namespace troupe::bench
