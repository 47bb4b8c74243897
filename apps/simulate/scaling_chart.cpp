#include "apps/simulate/scaling_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "traces/palette.hpp"
#include "traces/picture/gnuplot.hpp"
#include "traces/picture/gnuplot_text.hpp"

namespace troupe::apps {

namespace {

constexpr int kPanelWidth = 480;
constexpr int kPanelHeight = 350;
constexpr int kTitleHeight = 40;
/// The height of one line of the legend, below the panels.
constexpr int kLegendHeight = 20;

/// The columns of gnuplot's data that have the values for the left and for the right panels.
constexpr int kGigaflops = 2;
constexpr int kGigabytes = 5;

/// The numbers of gnuplot's point types: squares, circles, triangles, … filled and empty in turn.
constexpr std::array kMarks{7, 5, 9, 13, 11, 6, 4, 8, 12, 10};

class ChartScript : traces::GnuplotScript {
 public:
  explicit ChartScript(const ScalingChart& chart) : chart_(chart) {}

  std::string text() {
    const auto rows = static_cast<int>(chart_.rows.size());
    int lines = 1;
    for (const ChartRow& row : chart_.rows) lines = std::max(lines, (static_cast<int>(row.series.size()) + 1) / 2);
    const int height = kTitleHeight + rows * (kPanelHeight + lines * kLegendHeight);
    add("set terminal svg size {},{} font 'DejaVu Sans,12' background '#FFFFFF'", 2 * kPanelWidth, height);
    add("set encoding utf8");
    for (std::size_t i = 0; i < chart_.rows.size(); ++i) data(i);
    add("set multiplot layout {},2 title {} font ',15' noenhanced", rows, traces::gnuplot_string(chart_.title));
    add_chart_style();
    add("set xtics {}", chart_.step);
    add("set xlabel {} offset 0,0.4", traces::gnuplot_string(chart_.axis));
    // The legend is one line higher than its text, so that it does not touch the label of the axis.
    add("set key below height 1 maxcols 2 samplen 2 noenhanced font ',11'");
    for (std::size_t i = 0; i < chart_.rows.size(); ++i) {
      panel(i, chart_.quantity, kGigaflops);
      panel(i, "GB moved", kGigabytes);
    }
    add("unset multiplot");
    return take();
  }

 private:
  void data(std::size_t row) {
    for (std::size_t i = 0; i < chart_.rows[row].series.size(); ++i) {
      add("$R{}S{} << EOD", row, i);
      for (const ChartPoint& point : chart_.rows[row].series[i].points) {
        add("{} {:.9g} {:.9g} {:.9g} {}", point.x, point.gflops.value, point.gflops.low, point.gflops.high,
            point.gigabytes ? fmt::format("{:.9g} {:.9g} {:.9g}", point.gigabytes->value, point.gigabytes->low,
                                          point.gigabytes->high)
                            : "NaN NaN NaN");
      }
      add("EOD");
    }
  }

  /// Adds one panel. `column` is the data column of the values; the next two columns have the ends of the error bars.
  void panel(std::size_t row, const std::string& quantity, int column) {
    const ChartRow& content = chart_.rows[row];
    add("set ylabel {} noenhanced", traces::gnuplot_string(quantity));
    add("set title {} noenhanced", traces::gnuplot_string(content.title));
    double first = content.series.front().points.front().x;
    double last = first;
    for (const ChartSeries& series : content.series) {
      for (const ChartPoint& point : series.points) {
        first = std::min(first, point.x);
        last = std::max(last, point.x);
      }
    }
    add("set xrange [{}:{}]", first - 0.3 * chart_.step, last + 0.3 * chart_.step);
    add("set yrange [0:*]");
    std::string plots;
    for (std::size_t i = 0; i < content.series.size(); ++i) {
      if (column != kGigaflops && !content.series[i].points.front().gigabytes) continue;
      const std::string_view colour = traces::kCodeletColours[i % traces::kCodeletColours.size()];
      plots += fmt::format(
          "{}$R{}S{} using 1:{}:{}:{} with yerrorlines title {} linecolor '{}' linewidth 1.5 pointtype {} pointsize "
          "0.6",
          plots.empty() ? "" : ", ", row, i, column, column + 1, column + 2,
          traces::gnuplot_string(content.series[i].name), colour, kMarks[i % kMarks.size()]);
    }
    add("plot {}", plots);
  }

  const ScalingChart& chart_;
};

}  // namespace

std::string chart_script(const ScalingChart& chart) { return ChartScript(chart).text(); }

Result<void> draw_chart(const std::string& path, const ScalingChart& chart) {
  return traces::draw_with_gnuplot(path, chart_script(chart));
}

}  // namespace troupe::apps
