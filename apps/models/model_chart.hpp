/// Kernel times over sizes, as a picture.
#pragma once

#include <string>
#include <vector>

#include "actors/scheduler/models/execution_history.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

/// Returns a script for gnuplot, which prints an SVG: a panel for each kernel and size of element, in which each kind
/// of device has its measured means with deviations and, if there is one, the power law through them. Both axes are
/// logarithmic. `kernels` names the kernels to draw; if it is empty, all but the commands of OpenCL programs, such as
/// copies. The script is empty if there is nothing to draw.
[[nodiscard]] std::string model_script(const scheduler::ExecutionHistory& history,
                                       const std::vector<std::string>& kernels);

/// Draws the picture into `path`, which appears complete or not at all. Fails with `bad_input` if there are no such
/// kernels, and with `io`.
[[nodiscard]] Result<void> draw_models(const std::string& path, const scheduler::ExecutionHistory& history,
                                       const std::vector<std::string>& kernels);

}  // namespace troupe::apps
