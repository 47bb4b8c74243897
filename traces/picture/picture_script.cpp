#include "traces/picture/picture_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "traces/palette.hpp"
#include "traces/picture/gnuplot_text.hpp"
#include "traces/picture/picture_layout.hpp"
#include "traces/picture/picture_rectangles.hpp"
#include "traces/text/human.hpp"

namespace troupe::traces {
namespace {

static_assert(kCodeletColours.size() == kMostCodelets);
constexpr std::string_view kIdleColour = "#E8E8E8";
constexpr std::string_view kTextColour = "#222222";
constexpr std::string_view kQuietColour = "#666666";

/// Returns a darker colour of the same hue, for borders.
std::string darker(std::string_view colour) {
  std::string result = "#";
  for (std::size_t i = 1; i < colour.size(); i += 2) {
    const auto part = std::stoul(std::string(colour.substr(i, 2)), nullptr, 16);
    result += fmt::format("{:02X}", part * 3 / 4);
  }
  return result;
}

struct TimeUnit {
  std::string_view name;
  double per_second;
};

TimeUnit time_unit(double end_s) {
  if (end_s >= 1) return {"s", 1};
  if (end_s >= 1e-3 || end_s <= 0) return {"ms", 1e3};
  return {"us", 1e6};
}

std::string legend_text(const LegendEntry& entry) {
  constexpr std::size_t kLongestName = 40;
  return fmt::format("{}  {} {}, {}", abbreviated(entry.name, kLongestName), human_count(entry.tasks),
                     entry.tasks == 1 ? "task" : "tasks", human_seconds(entry.busy_s));
}

/// Builds the script, command by command.
class Drawing : GnuplotScript {
 public:
  Drawing(const Picture& picture, const PictureSummary& summary)
      : picture_(picture), summary_(summary), unit_(time_unit(summary.end_s)) {
    subtitle_ = picture.subtitle;
    const auto left_some_idle = [](const PictureSpan& span) { return span.used < 1; };
    if (std::ranges::any_of(picture.spans, left_some_idle)) {
      subtitle_.emplace_back("clusters: a task is as high as the share of the cores' time that it used");
    }
    for (const auto& entry : summary.legend) legend_.push_back(legend_text(entry));
    legend_.emplace_back("idle");
    layout_ = lay_out(picture, subtitle_.size() + 1, legend_);
    fill();
    subtitle_.push_back(totals());
  }

  [[nodiscard]] const PictureLayout& layout() const { return layout_; }

  std::string commands() {
    axes();
    titles();
    worker_labels();
    legend();
    plot();
    return take() + data_;
  }

 private:
  /// Returns the end of the time axis. The axis needs a length above 0, even if no task ran.
  [[nodiscard]] double end_s() const { return summary_.end_s > 0 ? summary_.end_s : 1e-3; }

  [[nodiscard]] double pixel_s() const { return end_s() / (layout_.plot_right - layout_.plot_left); }

  /// Converts a point in pixels to gnuplot's screen coordinates, which are fractions of the whole picture.
  [[nodiscard]] std::string at(double x, double y) const {
    return fmt::format("screen {:.6f}, screen {:.6f}", x / layout_.width, 1 - y / layout_.height);
  }

  void label(std::string_view text, double x, double y, std::string_view options) {
    add("set label {} at {} {}", gnuplot_string(text), at(x, y), options);
  }

  [[nodiscard]] std::string totals() const {
    double busy_s = 0;
    std::uint64_t tasks = 0;
    for (const auto& worker : summary_.workers) {
      busy_s += worker.busy_s;
      tasks += worker.tasks;
    }
    const double fraction = busy_s / (end_s() * static_cast<double>(picture_.workers.size()));
    const auto count = [](std::uint64_t n, std::string_view noun) {
      return fmt::format("{} {}{}", human_count(n), noun, n == 1 ? "" : "s");
    };
    std::string text =
        fmt::format("{} on {} in {}; workers busy {:.1f} % of the time", count(tasks, "task"),
                    count(picture_.workers.size(), "worker"), human_seconds(summary_.end_s), fraction * 100);
    const bool merged = std::any_of(picture_.spans.begin(), picture_.spans.end(),
                                    [&](const PictureSpan& span) { return span.end_s - span.start_s < 4 * step_s_; });
    if (merged) text += fmt::format("; tasks below {} are drawn in proportion", human_seconds(4 * step_s_));
    return text;
  }

  void axes() {
    add("set encoding utf8");
    add("set tmargin at screen {:.6f}", 1 - layout_.plot_top / layout_.height);
    add("set bmargin at screen {:.6f}", 1 - layout_.plot_bottom / layout_.height);
    add("set xrange [0:{:.9g}]", end_s() * unit_.per_second);
    add("set yrange [{:.9g}:0]", layout_.rows.back());
    add("unset key");
    add("unset ytics");
    add("set border 1 lc rgb '{}'", kQuietColour);
    add("set format x '%g'");
    add("set xtics out nomirror textcolor rgb '{}'", kTextColour);
    add("set xlabel 'time ({})' textcolor rgb '{}'", unit_.name, kTextColour);
  }

  void titles() {
    label(picture_.title, layout_.plot_left, layout_.title_y,
          fmt::format("left font 'DejaVu Sans:Bold,16' textcolor rgb '{}'", kTextColour));
    double y = layout_.first_subtitle_y;
    for (const auto& line : subtitle_) {
      label(line, layout_.plot_left, y, fmt::format("left font 'DejaVu Sans,10' textcolor rgb '{}'", kQuietColour));
      y += layout_.subtitle_pitch;
    }
    const auto column = fmt::format("right font 'DejaVu Sans,10' textcolor rgb '{}'", kQuietColour);
    label("busy", layout_.busy_right, layout_.plot_top - 10, column);
    label("tasks", layout_.tasks_right, layout_.plot_top - 10, column);
  }

  void worker_labels() {
    constexpr std::size_t kLongestName = 25;
    const auto options = fmt::format("right textcolor rgb '{}'", kTextColour);
    for (std::size_t i = 0; i < picture_.workers.size(); i += layout_.label_step) {
      const double y = layout_.plot_top + (layout_.rows[i] + layout_.rows[i + 1]) / 2;
      const auto& worker = summary_.workers[i];
      label(abbreviated(picture_.workers[i], kLongestName), layout_.plot_left - 10, y, options);
      label(fmt::format("{:.1f} %", worker.busy_s / end_s() * 100), layout_.busy_right, y, options);
      label(human_count(worker.tasks), layout_.tasks_right, y, options);
    }
  }

  void legend() {
    const auto options = fmt::format("left textcolor rgb '{}'", kTextColour);
    for (std::size_t i = 0; i < legend_.size(); ++i) {
      const auto [x, y] = layout_.legend[i];
      const auto colour = i < summary_.legend.size() ? kCodeletColours[i] : kIdleColour;
      add("set object rectangle from {} to {} fillcolor rgb '{}' fillstyle solid noborder",
          at(x, y + kLegendSquare / 2), at(x + kLegendSquare, y - kLegendSquare / 2), colour);
      label(legend_[i], x + kLegendSquare + kLegendGap, y, options);
    }
  }

  /// Makes the rectangles. The columns for short tasks are half a pixel wide, or wider if there would be too many
  /// rectangles.
  void fill() {
    constexpr std::size_t kMostRectangles = 40000;
    step_s_ = pixel_s() / 2;
    while (true) {
      rectangles_ = rectangles(picture_, summary_, step_s_);
      if (rectangles_.size() <= kMostRectangles) return;
      step_s_ *= 2;
    }
  }

  /// Plots one curve with the idle background of all rows. Then, for each codelet, plots one curve with columns and
  /// narrow tasks, and one curve with tasks that are at least four pixels wide. A fine border separates these wider
  /// tasks.
  void plot() {
    // A border doubles the size of a task in the SVG, so no borders are drawn if there are more wide tasks than
    // `kMostBorders`.
    constexpr std::size_t kMostBorders = 5000;
    const auto wide_enough = [&](const PictureRectangle& rectangle) {
      return rectangle.one_task && rectangle.end_s - rectangle.start_s >= 4 * pixel_s();
    };
    std::vector<std::string> plain(summary_.legend.size());
    std::vector<std::string> bordered(summary_.legend.size());
    const auto count = std::count_if(rectangles_.begin(), rectangles_.end(), wide_enough);
    const bool borders = static_cast<std::size_t>(count) <= kMostBorders;
    for (const auto& rectangle : rectangles_) {
      append_box((borders && wide_enough(rectangle) ? bordered : plain)[rectangle.legend], rectangle);
    }
    std::string idle;
    for (std::size_t i = 0; i < picture_.workers.size(); ++i) append_box(idle, {i, 0, 0, end_s(), false, 1});
    add_curve(idle, kIdleColour, "noborder");
    for (std::size_t i = 0; i < plain.size(); ++i) add_curve(plain[i], kCodeletColours[i], "noborder");
    for (std::size_t i = 0; i < bordered.size(); ++i) {
      add_curve(bordered[i], kCodeletColours[i],
                fmt::format("border lc rgb '{}' linewidth 0.5", darker(kCodeletColours[i])));
    }
    add("plot {}", curves_);
  }

  void add_curve(const std::string& boxes, std::string_view colour, std::string_view border) {
    if (boxes.empty()) return;
    if (!curves_.empty()) curves_ += ", ";
    curves_ +=
        fmt::format("'-' using 1:2:3:4:5:6 with boxxyerror fillcolor rgb '{}' fillstyle solid {}", colour, border);
    data_ += boxes + "e\n";
  }

  /// Appends a rectangle to the data, as the numbers x, y, lower x, upper x, lower y, upper y.
  void append_box(std::string& data, const PictureRectangle& rectangle) const {
    constexpr double kGap = 0.09;
    // Neighbouring rectangles overlap a little, because between rectangles that only touch there would be a pale seam.
    constexpr double kOverlapPixels = 0.03;
    const double gap = layout_.row_pitch < 6 ? 0 : kGap * layout_.row_pitch;
    const double top = layout_.rows[rectangle.worker] + gap;
    const double bottom = layout_.rows[rectangle.worker + 1] - gap;
    // A task that used very little of its cores' time still gets a line.
    const double height = std::max((bottom - top) * rectangle.used, std::min(bottom - top, 1.0));
    const double left = rectangle.start_s * unit_.per_second;
    const double right = std::min(rectangle.end_s + kOverlapPixels * pixel_s(), end_s()) * unit_.per_second;
    fmt::format_to(std::back_inserter(data), "{0:.9g} {1:.9g} {0:.9g} {2:.9g} {3:.9g} {4:.9g}\n", left,
                   bottom - height / 2, right, bottom - height, bottom);
  }

  const Picture& picture_;
  const PictureSummary& summary_;
  TimeUnit unit_;
  std::vector<std::string> legend_;
  PictureLayout layout_;
  std::vector<std::string> subtitle_;
  double step_s_ = 0;
  std::vector<PictureRectangle> rectangles_;
  /// `curves_` has the plotted curves; `data_` has their data in the same order.
  std::string curves_;
  std::string data_;
};

}  // namespace

PictureScript::PictureScript(const Picture& picture, const PictureSummary& summary) {
  Drawing drawing(picture, summary);
  width_ = static_cast<int>(drawing.layout().width);
  height_ = static_cast<int>(drawing.layout().height);
  plot_left_ = drawing.layout().plot_left;
  plot_right_ = drawing.layout().plot_right;
  drawing_ = drawing.commands();
}

std::string PictureScript::svg() const {
  // Fonts are scaled by 96/72, because in the svg terminal a point is as large as a pixel; usually an inch has 72
  // points and 96 pixels.
  return fmt::format(
      "set terminal svg noenhanced size {},{} fontscale 1.3333 font 'DejaVu Sans,11' background rgb 'white'\n"
      "set lmargin at screen {:.9f}\nset rmargin at screen {:.9f}\n{}",
      width_, height_, plot_left_ / width_, plot_right_ / width_, drawing_);
}

std::string PictureScript::png() const {
  constexpr int kDots = 2;
  // The coordinates of this terminal run from the middle of the first dot to the middle of the last dot. The plotted
  // area must begin and end at the edges of dots; otherwise every edge in it is blurred.
  const auto at_dot_edge = [&](double x) { return (x * kDots - 0.5) / (width_ * kDots - 1); };
  return fmt::format(
      "set terminal pngcairo noenhanced size {},{} fontscale {} linewidth {} font 'DejaVu Sans,11' "
      "background rgb 'white'\n"
      "set lmargin at screen {:.9f}\nset rmargin at screen {:.9f}\n{}",
      width_ * kDots, height_ * kDots, kDots, kDots, at_dot_edge(plot_left_), at_dot_edge(plot_right_), drawing_);
}

}  // namespace troupe::traces
