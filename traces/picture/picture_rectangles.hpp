/// Turns the spans of a picture into a limited number of rectangles.
#pragma once

#include <cstddef>
#include <vector>

#include "traces/picture/picture_summary.hpp"

namespace troupe::traces {

struct PictureRectangle {
  std::size_t worker = 0;
  /// The index into `PictureSummary::legend`.
  std::size_t legend = 0;
  double start_s = 0;
  double end_s = 0;
  /// True if the rectangle shows a single span, false if it shows columns of short spans.
  bool one_task = false;
  /// The fraction of the row's height that the rectangle fills (`PictureSpan::used`). For columns, this is the mean
  /// over all short spans of the same row and colour.
  double used = 1;
};

/// Returns the rectangles of a picture. Every edge is a multiple of `step_s`, so details shorter than `step_s` are
/// lost. Spans of at least four steps become one rectangle each. Shorter spans are drawn in columns one step wide. A
/// column has one colour, or none for idle time. If a column shows too much or too little of a colour, the difference
/// is carried over to the next column of the row. Over a few columns, each colour therefore covers its fraction of the
/// time. There is at most one rectangle for short spans per step and row.
std::vector<PictureRectangle> rectangles(const Picture& picture, const PictureSummary& summary, double step_s);

}  // namespace troupe::traces
