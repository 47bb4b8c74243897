/// Runs gnuplot.
#pragma once

#include <string>
#include <string_view>

#include "proto/errors.hpp"

namespace troupe::traces {

/// What gnuplot prints when it runs `script`, without the user's own settings. `ErrorCode::io` where it is not
/// installed or fails.
[[nodiscard]] Result<std::string> run_gnuplot(std::string_view script);

/// Whether gnuplot can be run, so that long work is not done for nothing.
[[nodiscard]] Result<void> check_gnuplot();

/// Draws `path` by `script`, whose terminal has the form of the path's ending; it appears complete or not at all.
[[nodiscard]] Result<void> draw_with_gnuplot(const std::string& path, std::string_view script);

/// Whether that could be done, so that long work is not done for nothing. `invalid_argument` for a name that does not
/// end in ".svg", nor in ".png" where `or_png`; `io` where no file can be put there or gnuplot is missing. `what`: the
/// picture, for people.
[[nodiscard]] Result<void> check_drawing_path(const std::string& path, std::string_view what, bool or_png);

/// A picture that gnuplot printed, with what its SVG lacks: fonts for machines without the one named.
[[nodiscard]] std::string with_fallback_fonts(std::string svg);

/// Every `before` in `text` becomes `after`.
void replace_all(std::string& text, std::string_view before, std::string_view after);

}  // namespace troupe::traces
