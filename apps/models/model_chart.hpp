/// Kernel times over sizes, as a picture.
#pragma once

#include <string>
#include <vector>

#include "actors/scheduler/models/execution_history.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

/// Returns a script for gnuplot that prints an SVG. There is a panel for each kernel and size of element. In a panel,
/// each kind of device has its measured means with deviations and, if there is one, the power law through the means.
/// Both axes are logarithmic. `kernels` names the kernels to draw; if it is empty, all kernels are drawn, except the
/// commands of OpenCL programs such as copies. The script is empty if there is nothing to draw.
[[nodiscard]] std::string model_script(const scheduler::ExecutionHistory& history,
                                       const std::vector<std::string>& kernels);

/// Draws the picture into the file `path`, which appears complete or not at all. Fails with `bad_input` if none of
/// these kernels has times, and with `io` if the file cannot be written.
[[nodiscard]] Result<void> draw_models(const std::string& path, const scheduler::ExecutionHistory& history,
                                       const std::vector<std::string>& kernels);

}  // namespace troupe::apps
