/// A picture of a comparison.
#pragma once

#include <string>

#include "bench/driver/measurement.hpp"
#include "proto/errors.hpp"

namespace troupe::bench {

/// The commands by which gnuplot draws the first figure of every row, a mark per contestant with its interval, on a
/// logarithmic scale, as SVG.
[[nodiscard]] std::string plot_script(const Results& results);

/// `ErrorCode::io` where gnuplot is missing or fails, or the file cannot be written; then it was not touched.
[[nodiscard]] Result<void> draw_plot(const std::string& path, const Results& results);

}  // namespace troupe::bench
