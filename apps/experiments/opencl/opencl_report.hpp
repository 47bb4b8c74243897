/// What `troupe experiment opencl` leaves behind.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/experiments/opencl/opencl_claims.hpp"
#include "proto/errors.hpp"

namespace troupe::apps {

/// The results in virtual time under one set of assumptions.
struct OpenClVariant {
  OpenClAssumptions assumptions;
  OpenClVirtualResults results;
  std::vector<Judgement> judgements;
};

struct OpenClReport {
  OpenClOptions options;
  /// The one of the aims.
  std::string policy;
  /// Empty: not asked for. Figures and numbers are of the first.
  std::vector<OpenClVariant> variants;
  /// What was asked for.
  OpenClMeasuringOptions measuring;
  /// Nothing: not asked for.
  std::optional<OpenClMeasured> measured;
  std::vector<Judgement> measured_judgements;
};

/// For terminals: times and verdicts.
[[nodiscard]] std::string opencl_text(const OpenClReport& report);
[[nodiscard]] nlohmann::json opencl_json(const OpenClReport& report);
/// Writes figure3.svg, figure3d.svg and figure5.svg where there is virtual time, opencl.csv with all points,
/// claims.csv, report.md and report.json into `folder`, which exists. `io`.
[[nodiscard]] Result<void> write_opencl_report(const std::string& folder, const OpenClReport& report);

}  // namespace troupe::apps
