/// The pictures of the experiment with super-tasks.
#pragma once

#include <string>
#include <vector>

#include "apps/experiments/experiment_figures.hpp"
#include "apps/experiments/multigrain/multigrain_experiment.hpp"

namespace troupe::apps {

/// The paper's figures 4, 6 and 7 as far as its text tells what they show, and as their points were measured: speeds
/// and bytes over blocks on a side. Grains without a cache; the cache, and affinity; cores and GPU, alone and together.
/// Figures 4 and 6 have step 3 on each machine (the paper's: on the first), 7 what was run of step 3 and all steps. And
/// `policies` on cores and GPU, beside the paper's own. `setting`: what titles say besides.
[[nodiscard]] std::vector<ExperimentFigure> multigrain_figures(const MultigrainResults& results,
                                                               const std::vector<std::string>& policies,
                                                               const std::string& setting);

}  // namespace troupe::apps
