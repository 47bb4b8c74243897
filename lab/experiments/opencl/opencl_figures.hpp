/// The figures of the paper on SOCL, drawn with new results.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/experiment_figures.hpp"
#include "lab/experiments/opencl/opencl_virtual.hpp"

namespace troupe::apps {

/// Returns the figures 3 (with a row for each size of blocks), 3d and 5, as far as they have points. Figure 5 has lines
/// only for heft and `policy`.
[[nodiscard]] std::vector<ExperimentFigure> opencl_figures(const OpenClVirtualResults& results,
                                                           const std::string& policy, const std::string& setting);

}  // namespace troupe::apps
