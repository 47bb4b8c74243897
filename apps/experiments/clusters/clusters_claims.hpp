/// What the paper on clusters of cores says of its figures, and whether it is so here.
#pragma once

#include <string>
#include <vector>

#include "apps/experiments/claims.hpp"
#include "apps/experiments/clusters/clusters_experiment.hpp"

namespace troupe::apps {

/// In the paper's order; those that cannot be tested here are the last.
[[nodiscard]] const std::vector<Claim>& clusters_claims();

/// One for each of `clusters_claims()`, of the runs under one policy. Speeds are medians. Points that were not measured
/// count for nothing, and a claim none of whose points were is not tested.
[[nodiscard]] std::vector<Judgement> judge_clusters(const ClustersResults& results, const std::string& policy);

}  // namespace troupe::apps
