/// The claims about figures in the paper on DADA, and whether they hold in this simulation.
#pragma once

#include <vector>

#include "lab/experiments/claims/claims.hpp"
#include "lab/experiments/dada_experiment.hpp"

namespace troupe::apps {

/// Returns all claims that this simulation can test, in the paper's order.
[[nodiscard]] const std::vector<Claim>& dada_claims();

/// Returns a judgement for each of `dada_claims()`.
[[nodiscard]] std::vector<Judgement> judge(const DadaResults& results);

}  // namespace troupe::apps
