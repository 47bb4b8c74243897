/// Draws a picture of a comparison.
#pragma once

#include <string>

#include "lab/bench/driver/measurement.hpp"
#include "troupe/errors.hpp"

namespace troupe::bench {

/// Returns commands for gnuplot to draw the first figure of every row as SVG: one mark per contestant with its
/// interval, on a logarithmic scale.
[[nodiscard]] std::string plot_script(const Results& results);

/// Draws the picture. Fails with `ErrorCode::io` if gnuplot is missing or fails, or if the file cannot be written; then
/// the file does not change.
[[nodiscard]] Result<void> draw_plot(const std::string& path, const Results& results);

}  // namespace troupe::bench
