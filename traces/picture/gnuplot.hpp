/// Calls of gnuplot.
#pragma once

#include <string>
#include <string_view>

#include "troupe/errors.hpp"

namespace troupe::traces {

/// Returns the output of gnuplot for `script`, without the user's own settings. Fails with `ErrorCode::io` if gnuplot
/// is not installed or fails.
[[nodiscard]] Result<std::string> run_gnuplot(std::string_view script);

/// Checks that gnuplot can be run. Call this function before a long run that is to be drawn.
[[nodiscard]] Result<void> check_gnuplot();

/// Runs `script`, which must select gnuplot's terminal svg, and writes the picture to `path`. If the path ends in
/// ".png", gnuplot's terminal pngcairo replaces svg. The file appears complete or not at all.
[[nodiscard]] Result<void> draw_with_gnuplot(const std::string& path, std::string_view script);

/// Checks that `draw_with_gnuplot` can draw to `path`. Call this function before a long run. Fails with
/// `invalid_argument` for a name that ends neither in ".svg" nor in ".png", and with `io` if no file can be created
/// there or gnuplot is missing. `what` names the picture in messages.
[[nodiscard]] Result<void> check_drawing_path(const std::string& path, std::string_view what);

/// Adds fallback fonts to an SVG picture from gnuplot. Gnuplot names only one font, which a machine may not have.
[[nodiscard]] std::string with_fallback_fonts(std::string svg);

/// Replaces every `before` in `text` by `after`.
void replace_all(std::string& text, std::string_view before, std::string_view after);

}  // namespace troupe::traces
