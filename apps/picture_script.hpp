/// A picture as a program for gnuplot.
#pragma once

#include <string>
#include <string_view>

#include "apps/picture_summary.hpp"

namespace troupe::apps {

/// The commands that draw the picture on whatever terminal `terminal_command` sets, given its size in pixels, to the
/// standard output. Text of the picture cannot become commands.
class PictureScript {
 public:
  PictureScript(const Picture& picture, const PictureSummary& summary);

  [[nodiscard]] std::string svg() const;
  /// With two dots per pixel, for screens that have them.
  [[nodiscard]] std::string png() const;

 private:
  int width_ = 0;
  int height_ = 0;
  double plot_left_ = 0;
  double plot_right_ = 0;
  std::string drawing_;
};

/// `text` as a string of gnuplot: within single quotes, in which nothing is expanded. Control characters become spaces,
/// and bytes that are no UTF-8 become '?'. A single quote becomes an apostrophe (U+2019): gnuplot 5.4 wants it doubled,
/// but misreads that at the front of a string.
std::string gnuplot_string(std::string_view text);

}  // namespace troupe::apps
