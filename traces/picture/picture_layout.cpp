#include "traces/picture/picture_layout.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "proto/utf8.hpp"

namespace troupe::traces {
namespace {

constexpr double kFontSize = 14.7;
constexpr double kTextHeight = 15;
constexpr double kMargin = 24;

/// Returns an estimate of the width of `text`. Only gnuplot knows the exact widths of its font, so the estimate is
/// rather too large than too small.
double text_width(std::string_view text) {
  constexpr double kNarrow = 0.36;
  constexpr double kUsual = 0.62;
  constexpr double kWide = 0.95;
  double width = 0;
  for (const char c : text) {
    if (continues_character(c)) continue;
    const bool narrow = std::string_view(" .,:;'|!ijlrtf()").find(c) != std::string_view::npos;
    const bool wide = std::string_view("mwMW%@").find(c) != std::string_view::npos;
    width += narrow ? kNarrow : wide ? kWide : kUsual;
  }
  return width * kFontSize;
}

/// Returns the height of a worker's row, where a single core's row has height 1. The row of a cluster is visibly
/// higher, but leaves room for other rows.
double row_height(const Picture& picture, std::size_t worker) {
  return picture.cores.empty() ? 1 : 1 + std::log2(picture.cores[worker]) / 2;
}

/// Returns the height of a single core's row in pixels. Rows are high if there are few workers, and if there are many,
/// so low that the picture fits on a screen. `count` is the sum of `row_height` over all workers.
double row_pitch(double count) { return std::clamp(480 / count, std::clamp(1400 / count, 2.0, 12.0), 54.0); }

/// Places the legend's entries side by side, on as many lines as needed. Returns the position of the legend's lower
/// edge.
double place_legend(PictureLayout& layout, const std::vector<std::string>& legend, double top) {
  constexpr double kPitch = 24;
  constexpr double kBetween = 26;
  PicturePoint at{layout.plot_left, top};
  for (const auto& text : legend) {
    const double width = kLegendSquare + kLegendGap + text_width(text);
    if (at.x > layout.plot_left && at.x + width > layout.width - kMargin) at = {layout.plot_left, at.y + kPitch};
    layout.legend.push_back(at);
    at.x += width + kBetween;
  }
  return at.y + kPitch;
}

}  // namespace

PictureLayout lay_out(const Picture& picture, std::size_t subtitle_lines, const std::vector<std::string>& legend) {
  constexpr double kWidestName = 260;
  PictureLayout layout;
  double widest_name = 0;
  for (const auto& name : picture.workers) widest_name = std::max(widest_name, text_width(name));
  // The position is a whole number of pixels, so that columns have sharp edges.
  layout.plot_left = std::ceil(kMargin + 10 + std::min(widest_name, kWidestName));
  layout.tasks_right = layout.width - kMargin;
  layout.busy_right = layout.tasks_right - 72;
  layout.plot_right = layout.busy_right - 72;

  double heights = 0;
  for (std::size_t i = 0; i < picture.workers.size(); ++i) heights += row_height(picture, i);
  layout.row_pitch = row_pitch(heights);
  layout.rows.push_back(0);
  for (std::size_t i = 0; i < picture.workers.size(); ++i) {
    layout.rows.push_back(layout.rows.back() + layout.row_pitch * row_height(picture, i));
  }
  layout.label_step = static_cast<std::size_t>(std::ceil(kTextHeight / layout.row_pitch));
  layout.plot_top = layout.first_subtitle_y + layout.subtitle_pitch * static_cast<double>(subtitle_lines) + 22;
  layout.plot_bottom = layout.plot_top + layout.rows.back();
  layout.height = std::ceil(place_legend(layout, legend, layout.plot_bottom + 76));
  return layout;
}

}  // namespace troupe::traces
