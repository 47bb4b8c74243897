/// What the paper on DADA says of its figures, and whether it is so here.
#pragma once

#include <vector>

#include "apps/experiments/claims.hpp"
#include "apps/experiments/dada_experiment.hpp"

namespace troupe::apps {

/// All that can be tested here, in the paper's order.
[[nodiscard]] const std::vector<Claim>& dada_claims();

/// One for each of `dada_claims()`.
[[nodiscard]] std::vector<Judgement> judge(const DadaResults& results);

/// The rules' words. Speeds or bytes are *similar* that differ by at most 10 % of the larger; *more* and *less* mean
/// that the 95 % confidence intervals do not overlap; *at least* allows 2 % below.
[[nodiscard]] bool similar(double a, double b);
[[nodiscard]] bool more(const Estimate& a, const Estimate& b);
[[nodiscard]] bool at_least(const Estimate& a, const Estimate& b);

}  // namespace troupe::apps
