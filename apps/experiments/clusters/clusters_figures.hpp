/// The pictures of the experiment with clusters of cores.
#pragma once

#include <string>
#include <vector>

#include "apps/experiments/clusters/clusters_experiment.hpp"
#include "apps/experiments/experiment_figures.hpp"

namespace troupe::apps {

/// The paper's figures 4 to 6 under one policy, as far as their points were measured: speeds over n of 20x1 and 2x10
/// with one GPU, beside their bounds; with each number of GPUs; with most GPUs, and 2x10c besides. And the best
/// configuration of each policy. `setting`: what titles say besides.
[[nodiscard]] std::vector<ExperimentFigure> clusters_figures(const ClustersResults& results, const std::string& policy,
                                                             const std::string& setting);

}  // namespace troupe::apps
