/// The claims about figures in the paper on DADA, and whether they hold in this simulation.
#pragma once

#include <vector>

#include "lab/experiments/claims.hpp"
#include "lab/experiments/dada_experiment.hpp"

namespace troupe::apps {

/// Returns all claims that this simulation can test, in the paper's order.
[[nodiscard]] const std::vector<Claim>& dada_claims();

/// Returns a judgement for each of `dada_claims()`.
[[nodiscard]] std::vector<Judgement> judge(const DadaResults& results);

/// The meanings of words in the rules. Speeds or bytes are *similar* if they differ by at most 10 % of the larger one;
/// *more* and *less* mean that the 95 % confidence intervals do not overlap; *at least* allows 2 % below.
[[nodiscard]] bool similar(double a, double b);
[[nodiscard]] bool more(const Estimate& a, const Estimate& b);
[[nodiscard]] bool at_least(const Estimate& a, const Estimate& b);

}  // namespace troupe::apps
