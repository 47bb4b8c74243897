/// The pictures of the experiment with super-tasks.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/experiment_figures.hpp"
#include "lab/experiments/multigrain/multigrain_experiment.hpp"

namespace troupe::apps {

/// Returns the paper's figures 4, 6 and 7, as far as its text tells what they show and their points were measured:
/// speeds and bytes over blocks on a side. Figure 4 shows grains without a cache, figure 6 the cache and affinity,
/// figure 7 cores and GPU, alone and together. Figures 4 and 6 show step 3 on each machine (the paper only on the
/// first), figure 7 shows step 3 and all steps, as far as they were run. A further picture shows `policies` on cores
/// and GPU, beside the paper's own. `setting` is added to the titles.
[[nodiscard]] std::vector<ExperimentFigure> multigrain_figures(const MultigrainResults& results,
                                                               const std::vector<std::string>& policies,
                                                               const std::string& setting);

}  // namespace troupe::apps
