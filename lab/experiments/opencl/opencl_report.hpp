/// The report of `troupe experiment opencl`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/experiments/opencl/opencl_claims.hpp"
#include "proto/json/json.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

/// The results in virtual time under one set of assumptions.
struct OpenClVariant {
  OpenClAssumptions assumptions;
  OpenClVirtualResults results;
  std::vector<Judgement> judgements;
};

struct OpenClReport {
  OpenClOptions options;
  /// The policy for which Troupe's own aims are judged, in addition to the claims of the paper.
  std::string policy;
  /// The variants; empty if not asked for. Figures and numbers are those of the first variant.
  std::vector<OpenClVariant> variants;
  /// The options of the measurement.
  OpenClMeasuringOptions measuring;
  /// The measurement; nothing if not asked for.
  std::optional<OpenClMeasured> measured;
  std::vector<Judgement> measured_judgements;
};

/// Returns times and verdicts for terminals.
[[nodiscard]] std::string opencl_text(const OpenClReport& report);
[[nodiscard]] Json opencl_json(const OpenClReport& report);
/// Writes figure3.svg, figure3d.svg and figure5.svg if there is virtual time, opencl.csv with all points, claims.csv,
/// report.md and report.json into `folder`, which exists. Fails with `io`.
[[nodiscard]] Result<void> write_opencl_report(const std::string& folder, const OpenClReport& report);

}  // namespace troupe::apps
