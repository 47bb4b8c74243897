/// The positions of everything in a picture, in pixels from its upper left corner.
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
  /// The upper edge of each row, and the lower edge of the last one, measured from `plot_top`.
  std::vector<double> rows;
  /// Every `label_step`-th row has its text; more than 1 if rows are lower than text.
  std::size_t label_step = 1;

  /// The right ends of the columns beside the rows.
  double busy_right = 0;
  double tasks_right = 0;

  /// The left ends of the legend's entries, at half their height.
  std::vector<PicturePoint> legend;
};

/// Computes the layout. `subtitle_lines` includes the line that is added to the picture's own.
PictureLayout lay_out(const Picture& picture, std::size_t subtitle_lines, const std::vector<std::string>& legend);

}  // namespace troupe::traces
