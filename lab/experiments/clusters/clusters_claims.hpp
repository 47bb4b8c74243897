/// The claims about figures in the paper on clusters of cores, and whether they hold in this simulation.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/claims/claims.hpp"
#include "lab/experiments/clusters/clusters_experiment.hpp"

namespace troupe::apps {

/// Returns the claims in the paper's order; those that cannot be tested here come last.
[[nodiscard]] const std::vector<Claim>& clusters_claims();

/// Returns a judgement for each of `clusters_claims()`, based on the runs under one policy. Speeds are medians. Points
/// that were not measured do not count; if a claim has no measured points, it is not tested.
[[nodiscard]] std::vector<Judgement> judge_clusters(const ClustersResults& results, const std::string& policy);

}  // namespace troupe::apps
