/// The figures of the experiment with super-tasks.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/experiment_figures.hpp"
#include "lab/experiments/multigrain/multigrain_experiment.hpp"

namespace troupe::apps {

/// Returns the paper's figures 4, 6 and 7, as far as the paper's text describes them and their points were measured.
/// They show speeds and bytes over the number of blocks on a side. Figure 4 shows grains without a cache, figure 6 the
/// cache and affinity, figure 7 cores and GPU, alone and together. Figures 4 and 6 show step 3 on each machine (the
/// paper only on the first), figure 7 shows step 3 and all steps, as far as they were simulated. A further figure shows
/// `policies` on cores and GPU, together with the paper's policy. `setting` is added to the titles.
[[nodiscard]] std::vector<ExperimentFigure> multigrain_figures(const MultigrainResults& results,
                                                               const std::vector<std::string>& policies,
                                                               const std::string& setting);

}  // namespace troupe::apps
