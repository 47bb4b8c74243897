/// The positions of all elements of a picture, in pixels from its upper left corner.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "traces/picture/picture_summary.hpp"

namespace troupe::traces {

struct PicturePoint {
  double x = 0;
  double y = 0;
};

/// The side of a square in the legend, and the distance from the square to its text.
constexpr double kLegendSquare = 13;
constexpr double kLegendGap = 8;

struct PictureLayout {
  double width = 1200;
  double height = 0;

  double title_y = 30;
  double first_subtitle_y = 56;
  double subtitle_pitch = 18;

  /// The area of the rows, from the upper edge of the first to the lower edge of the last.
  double plot_left = 0;
  double plot_right = 0;
  double plot_top = 0;
  double plot_bottom = 0;
  /// The height of the row of a single core or a GPU.
  double row_pitch = 0;
  /// The upper edge of each row, and the lower edge of the last row, measured from `plot_top`.
  std::vector<double> rows;
  /// Only every `label_step`-th row has its worker's name beside it. The step is more than 1 if rows are lower than a
  /// line of text.
  std::size_t label_step = 1;

  /// The right ends of the two columns of numbers beside the rows: how busy the worker was, and its number of tasks.
  double busy_right = 0;
  double tasks_right = 0;

  /// The positions of the legend's entries: the middle of each entry's left edge.
  std::vector<PicturePoint> legend;
};

/// Computes the layout. `subtitle_lines` is the number of all lines below the title, including the line that is added
/// to the picture's own subtitle.
PictureLayout lay_out(const Picture& picture, std::size_t subtitle_lines, const std::vector<std::string>& legend);

}  // namespace troupe::traces
