#include "traces/picture/picture_rectangles.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::traces {
namespace {

/// The row of one worker, divided into columns that are one step wide. For each column, it stores the fraction that
/// each colour covers.
class Row {
 public:
  Row(std::size_t columns, std::size_t colours, double step_s)
      : columns_(columns),
        colours_(colours),
        step_s_(step_s),
        fractions_(columns * colours),
        covered_(columns),
        short_(colours) {}

  void add_short(std::size_t colour, const PictureSpan& span) {
    for_each_column(span.start_s, span.end_s,
                    [&](std::size_t column, double fraction) { fractions_[at(column, colour)] += fraction; });
    short_[colour].time_s += span.end_s - span.start_s;
    short_[colour].used_s += (span.end_s - span.start_s) * span.used;
  }

  /// Returns a rectangle for this span alone. Its edges are rounded to the edges of columns.
  PictureRectangle add_wide(std::size_t colour, const PictureSpan& span) {
    const auto first = static_cast<std::size_t>(std::lround(span.start_s / step_s_));
    const auto last = static_cast<std::size_t>(std::lround(span.end_s / step_s_));
    std::fill(covered_.begin() + static_cast<std::ptrdiff_t>(std::min(first, columns_)),
              covered_.begin() + static_cast<std::ptrdiff_t>(std::min(last, columns_)), true);
    return {span.worker, colour,   static_cast<double>(first) * step_s_, static_cast<double>(last) * step_s_,
            true,        span.used};
  }

  void append_rectangles(std::size_t worker, std::vector<PictureRectangle>& result) {
    // For each colour, the width (in columns) that it should cover so far, minus the width that it does cover. The last
    // element is for idle time.
    std::vector<double> owed(colours_ + 1, 0.0);
    PictureRectangle run{worker, colours_, 0, 0, false};
    const auto finish = [&](std::size_t column, std::size_t next_colour) {
      run.end_s = static_cast<double>(column) * step_s_;
      if (run.legend < colours_) result.push_back(run);
      run.start_s = run.end_s;
      run.legend = next_colour;
      if (next_colour < colours_ && short_[next_colour].time_s > 0) {
        run.used = short_[next_colour].used_s / short_[next_colour].time_s;
      }
    };
    for (std::size_t column = 0; column < columns_; ++column) {
      const std::size_t colour = covered_[column] ? colours_ : choose(column, owed);
      if (colour != run.legend) finish(column, colour);
    }
    finish(columns_, colours_);
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t column, std::size_t colour) const { return column * colours_ + colour; }

  template <class Function>
  void for_each_column(double start_s, double end_s, const Function& function) {
    const double from = start_s / step_s_;
    const double to = end_s / step_s_;
    for (auto column = static_cast<std::size_t>(from); column < columns_; ++column) {
      const auto left = static_cast<double>(column);
      if (left >= to) return;
      function(column, std::min(to, left + 1) - std::max(from, left));
    }
  }

  /// Adds the column's fraction of each colour to `owed`. Returns the colour with the largest value in `owed` (among
  /// equal values, the first colour), and subtracts the column's width from this value.
  std::size_t choose(std::size_t column, std::vector<double>& owed) const {
    double idle = 1;
    for (std::size_t colour = 0; colour < colours_; ++colour) {
      owed[colour] += fractions_[at(column, colour)];
      idle -= fractions_[at(column, colour)];
    }
    owed[colours_] += idle;
    const auto most = std::max_element(owed.begin(), owed.end());
    *most -= 1;
    return static_cast<std::size_t>(most - owed.begin());
  }

  std::size_t columns_;
  std::size_t colours_;
  double step_s_;
  std::vector<double> fractions_;
  /// For each column, true if a rectangle of `add_wide` covers it.
  std::vector<bool> covered_;
  /// The sums over the short spans of one colour.
  struct Short {
    double time_s = 0;
    double used_s = 0;
  };
  std::vector<Short> short_;
};

}  // namespace

std::vector<PictureRectangle> rectangles(const Picture& picture, const PictureSummary& summary, double step_s) {
  constexpr double kWideSteps = 4;
  std::vector<PictureRectangle> result;
  if (summary.end_s <= 0) return result;
  std::vector<std::vector<std::size_t>> spans_of(picture.workers.size());
  for (std::size_t i = 0; i < picture.spans.size(); ++i) spans_of[picture.spans[i].worker].push_back(i);
  const auto columns = static_cast<std::size_t>(std::lround(summary.end_s / step_s));
  std::vector<PictureRectangle> wide;
  for (std::size_t worker = 0; worker < spans_of.size(); ++worker) {
    Row row(columns, summary.legend.size(), step_s);
    for (const auto i : spans_of[worker]) {
      const auto& span = picture.spans[i];
      if (span.end_s - span.start_s < kWideSteps * step_s) {
        row.add_short(summary.legend_index[i], span);
      } else {
        wide.push_back(row.add_wide(summary.legend_index[i], span));
      }
    }
    row.append_rectangles(worker, result);
  }
  // The rectangles of single spans come last, because later rectangles are drawn over earlier rectangles, and single
  // spans should cover columns.
  result.insert(result.end(), wide.begin(), wide.end());
  return result;
}

}  // namespace troupe::traces
