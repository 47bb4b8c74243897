/// What the paper on DADA says of its figures, and whether it is so here.
#pragma once

#include <string>
#include <vector>

#include "apps/experiments/dada_experiment.hpp"

namespace troupe::apps {

/// All of a claim's checks pass; at least half of them do; fewer do.
enum class Verdict { holds, holds_in_part, does_not_hold };

/// "holds", "holds in part", "does not hold".
[[nodiscard]] const char* to_string(Verdict verdict);

/// A statement, and the comparisons that it comes to.
struct Claim {
  /// "lu-bytes-factor".
  std::string name;
  /// Of the paper.
  std::string section;
  std::string statement;
  /// What is checked.
  std::string rule;
};

struct Judgement {
  int checks = 0;
  int passed = 0;
  /// The numbers on which it rests.
  std::string measured;

  [[nodiscard]] Verdict verdict() const;
};

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
