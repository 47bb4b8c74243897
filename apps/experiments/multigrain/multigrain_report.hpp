/// What the experiment with super-tasks leaves behind.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/experiments/multigrain/multigrain_claims.hpp"
#include "apps/experiments/multigrain/multigrain_experiment.hpp"
#include "proto/errors.hpp"

namespace troupe::apps {

/// The results under one set of assumptions.
struct MultigrainVariant {
  MultigrainAssumptions assumptions;
  MultigrainResults results;
  std::vector<Judgement> judgements;
};

struct MultigrainReport {
  MultigrainOptions options;
  /// At least one: speeds and numbers are of the first.
  std::vector<MultigrainVariant> variants;
};

/// For terminals: speeds, verdicts, policies.
[[nodiscard]] std::string multigrain_text(const MultigrainReport& report);
[[nodiscard]] nlohmann::json multigrain_json(const MultigrainReport& report);
/// `report.md`, `report.json`, `claims.csv` and `multigrain.csv`, with all points, into a folder that is there.
[[nodiscard]] Result<void> write_multigrain_report(const std::string& folder, const MultigrainReport& report);

}  // namespace troupe::apps
