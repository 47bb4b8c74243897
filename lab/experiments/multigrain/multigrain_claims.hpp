/// The claims about figures in the paper on super-tasks, and whether they hold in this simulation.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/claims/claims.hpp"
#include "lab/experiments/multigrain/multigrain_experiment.hpp"

namespace troupe::apps {

/// Returns the claims in the paper's order, then Troupe's own aims, then the claims that this simulation cannot test.
[[nodiscard]] const std::vector<Claim>& multigrain_claims();

/// Returns a judgement for each of `multigrain_claims()`. `policy` is the policy whose aims are judged. Points that
/// were not measured do not count; if a claim has no measured points, it is not tested.
[[nodiscard]] std::vector<Judgement> judge_multigrain(const MultigrainResults& results, const std::string& policy);

}  // namespace troupe::apps
