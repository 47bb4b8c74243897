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

/// Draws `path`, which appears complete or not at all, by `script`, whose terminal is svg: where the path ends in
/// ".png", the same picture is drawn as one.
[[nodiscard]] Result<void> draw_with_gnuplot(const std::string& path, std::string_view script);

/// Whether that could be done, so that long work is not done for nothing. `invalid_argument` for a name that ends
/// neither in ".svg" nor in ".png"; `io` where no file can be put there or gnuplot is missing. `what`: the
/// picture, for people.
[[nodiscard]] Result<void> check_drawing_path(const std::string& path, std::string_view what);

/// A picture that gnuplot printed, with what its SVG lacks: fonts for machines without the one named.
[[nodiscard]] std::string with_fallback_fonts(std::string svg);

/// Every `before` in `text` becomes `after`.
void replace_all(std::string& text, std::string_view before, std::string_view after);

}  // namespace troupe::traces
