/// A picture as a program for gnuplot.
#pragma once

#include <string>

#include "traces/picture/picture_summary.hpp"

namespace troupe::traces {

/// Makes commands by which gnuplot draws the picture and writes it to the standard output, as SVG or PNG. Texts of the
/// picture are quoted, so that they cannot become commands.
class PictureScript {
 public:
  PictureScript(const Picture& picture, const PictureSummary& summary);

  [[nodiscard]] std::string svg() const;
  /// Returns the commands for a picture with two dots per pixel, for screens of high resolution.
  [[nodiscard]] std::string png() const;

 private:
  int width_ = 0;
  int height_ = 0;
  double plot_left_ = 0;
  double plot_right_ = 0;
  std::string drawing_;
};

}  // namespace troupe::traces
