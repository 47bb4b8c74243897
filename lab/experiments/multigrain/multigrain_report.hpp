/// The report of the experiment with super-tasks.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/multigrain/multigrain_claims.hpp"
#include "lab/experiments/multigrain/multigrain_experiment.hpp"
#include "proto/json/json.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

/// The results under one set of assumptions.
struct MultigrainVariant {
  MultigrainAssumptions assumptions;
  MultigrainResults results;
  std::vector<Judgement> judgements;
};

struct MultigrainReport {
  MultigrainOptions options;
  /// The variants, at least one. Figures, speeds and numbers are from the first one.
  std::vector<MultigrainVariant> variants;
};

/// Returns a text for terminals with speeds, verdicts and the comparison of policies.
[[nodiscard]] std::string multigrain_text(const MultigrainReport& report);
[[nodiscard]] Json multigrain_json(const MultigrainReport& report);
/// Writes figure4.svg, figure6.svg, figure7.svg, policies.svg (`multigrain_figures`), multigrain.csv with all points,
/// claims.csv, report.md and report.json into `folder`, which must exist. Fails with `io`.
[[nodiscard]] Result<void> write_multigrain_report(const std::string& folder, const MultigrainReport& report);

}  // namespace troupe::apps
