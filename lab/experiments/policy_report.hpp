/// The report of the comparison of policies.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/policy_experiment.hpp"
#include "proto/json/json.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

/// The results for one set of points, and for one set of errors in the times and bandwidths that policies assume.
struct PolicyVariant {
  /// The name: "tuned" or "other".
  std::string name;
  std::string title;
  PolicyExperimentOptions options;
  std::vector<PolicyComparison> comparisons;
  PolicySummary summary;
};

/// Returns the summaries as a table for terminals.
[[nodiscard]] std::string policy_text(const std::vector<PolicyVariant>& variants);
[[nodiscard]] Json policy_json(const std::vector<PolicyVariant>& variants);
/// Returns summaries and all points as Markdown.
[[nodiscard]] std::string policy_markdown(const std::vector<PolicyVariant>& variants);
/// Returns the means of every policy at every point as CSV, with a line of titles.
[[nodiscard]] std::string policy_csv(const std::vector<PolicyVariant>& variants);

/// Writes policies.csv, report.md and report.json into `folder`, which must exist. Fails with `io`.
[[nodiscard]] Result<void> write_policy_report(const std::string& folder, const std::vector<PolicyVariant>& variants);

}  // namespace troupe::apps
