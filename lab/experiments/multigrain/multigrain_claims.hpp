/// The claims of the paper on super-tasks about its figures, and whether they hold here.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/claims.hpp"
#include "lab/experiments/multigrain/multigrain_experiment.hpp"

namespace troupe::apps {

/// Returns the claims in the paper's order, then Troupe's own aims, then claims that cannot be tested here.
[[nodiscard]] const std::vector<Claim>& multigrain_claims();

/// Returns a judgement for each of `multigrain_claims()`. `policy` is the policy that the aims are about. Points that
/// were not measured do not count; a claim without measured points is not tested.
[[nodiscard]] std::vector<Judgement> judge_multigrain(const MultigrainResults& results, const std::string& policy);

}  // namespace troupe::apps
