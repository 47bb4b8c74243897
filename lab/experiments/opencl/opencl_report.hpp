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
  /// The policy for which Troupe's own aims are judged. The paper's claims are judged for the paper's policy.
  std::string policy;
  /// The variants; empty if the user did not request virtual time. Figures and numbers are from the first variant.
  std::vector<OpenClVariant> variants;
  /// The options of the measurement.
  OpenClMeasuringOptions measuring;
  /// The measurement; nothing if the user did not request it.
  std::optional<OpenClMeasured> measured;
  std::vector<Judgement> measured_judgements;
};

/// Returns a text for terminals with times and verdicts.
[[nodiscard]] std::string opencl_text(const OpenClReport& report);
[[nodiscard]] Json opencl_json(const OpenClReport& report);
/// Writes figure3.svg, figure3d.svg and figure5.svg if there are results in virtual time, opencl.csv with all points,
/// claims.csv, report.md and report.json into `folder`, which must exist. Fails with `io`.
[[nodiscard]] Result<void> write_opencl_report(const std::string& folder, const OpenClReport& report);

}  // namespace troupe::apps
