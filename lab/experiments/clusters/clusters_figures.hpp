/// The figures of the experiment with clusters of cores.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/clusters/clusters_experiment.hpp"
#include "lab/experiments/experiment_figures.hpp"

namespace troupe::apps {

/// Returns the paper's figures 4 to 6 under one policy, as far as their points were measured. They show speeds over n.
/// Figure 4: 20x1 and 2x10 with one GPU, together with their bounds. Figure 5: each number of GPUs. Figure 6: the
/// largest number of GPUs, also with 2x10c. A further figure shows the best configuration of each policy. `setting` is
/// added to the titles.
[[nodiscard]] std::vector<ExperimentFigure> clusters_figures(const ClustersResults& results, const std::string& policy,
                                                             const std::string& setting);

}  // namespace troupe::apps
