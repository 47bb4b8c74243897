/// Calls of gnuplot.
#pragma once

#include <string>
#include <string_view>

#include "troupe/errors.hpp"

namespace troupe::traces {

/// Returns the output of gnuplot for `script`, without the user's own settings. Fails with `ErrorCode::io` if gnuplot
/// is not installed or fails.
[[nodiscard]] Result<std::string> run_gnuplot(std::string_view script);

/// Checks that gnuplot can be run, so that long work is not done in vain.
[[nodiscard]] Result<void> check_gnuplot();

/// Draws `path` with `script`, whose terminal is svg. If the path ends in ".png", the same picture is drawn in that
/// format. The file appears complete or not at all.
[[nodiscard]] Result<void> draw_with_gnuplot(const std::string& path, std::string_view script);

/// Checks that `draw_with_gnuplot` could draw `path`, so that long work is not done in vain. Fails with
/// `invalid_argument` for a name that ends neither in ".svg" nor in ".png", and with `io` if no file can be created
/// there or gnuplot is missing. `what` names the picture in messages.
[[nodiscard]] Result<void> check_drawing_path(const std::string& path, std::string_view what);

/// Adds fonts to a picture that gnuplot printed: its SVG names only one, which machines may not have.
[[nodiscard]] std::string with_fallback_fonts(std::string svg);

/// Replaces every `before` in `text` by `after`.
void replace_all(std::string& text, std::string_view before, std::string_view after);

}  // namespace troupe::traces
