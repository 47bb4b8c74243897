/// A picture of a comparison.
#pragma once

#include <string>

#include "lab/bench/driver/measurement.hpp"
#include "troupe/errors.hpp"

namespace troupe::bench {

/// Returns commands for gnuplot, which draws the first figure of every row as SVG: a mark per contestant with its
/// interval, on a logarithmic scale.
[[nodiscard]] std::string plot_script(const Results& results);

/// Draws the picture. Fails with `ErrorCode::io` if gnuplot is missing or fails, or the file cannot be written; the
/// file is unchanged then.
[[nodiscard]] Result<void> draw_plot(const std::string& path, const Results& results);

}  // namespace troupe::bench
