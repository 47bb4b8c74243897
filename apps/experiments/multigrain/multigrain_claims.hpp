/// What the paper on super-tasks says of its figures, and whether it is so here.
#pragma once

#include <string>
#include <vector>

#include "apps/experiments/claims.hpp"
#include "apps/experiments/multigrain/multigrain_experiment.hpp"

namespace troupe::apps {

/// In the paper's order; then Troupe's own aims; then what cannot be tested here.
[[nodiscard]] const std::vector<Claim>& multigrain_claims();

/// One for each of `multigrain_claims()`. `policy` is the one of the aims. Points that were not measured count for
/// nothing, and a claim none of whose points were is not tested.
[[nodiscard]] std::vector<Judgement> judge_multigrain(const MultigrainResults& results, const std::string& policy);

}  // namespace troupe::apps
