/// The reduction of spans of time to a limited number of rectangles.
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
  /// True if the rectangle is one task, and not a column for several short tasks.
  bool one_task = false;
  /// The used fraction of the row's height: see `PictureSpan::used`. For a column, the mean over all short tasks of its
  /// row and colour.
  double used = 1;
};

/// Returns the rectangles of a picture. Every edge is a multiple of `step_s`, so nothing shorter than `step_s` can be
/// told apart. Spans of at least four steps become one rectangle each. Shorter spans are drawn in columns one step
/// wide. A column has one colour, or none for idle time. If a column shows too much or too little of a colour, the
/// difference is carried over to the next column of its row. Over a few columns each colour therefore covers its
/// fraction of the time. There is at most one rectangle for short spans per step and row.
std::vector<PictureRectangle> rectangles(const Picture& picture, const PictureSummary& summary, double step_s);

}  // namespace troupe::traces
