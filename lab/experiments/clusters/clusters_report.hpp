/// The report of the experiment with clusters of cores.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/experiments/clusters/clusters_claims.hpp"
#include "lab/experiments/clusters/clusters_experiment.hpp"
#include "proto/json/json.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

/// The results under one set of assumptions.
struct ClustersVariant {
  ClustersAssumptions assumptions;
  ClustersResults results;
  /// The judgements for `ClustersReport::claims_policy`.
  std::vector<Judgement> judgements;
  PolicyWithClusters compared;
};

/// The judgements of the first variant under another policy.
struct ClustersPolicyVerdicts {
  std::string policy;
  std::vector<Judgement> judgements;
};

struct ClustersReport {
  ClustersOptions options;
  /// The policy for which the claims are judged. It is mct, the paper's policy, if that is among the simulated
  /// policies.
  std::string claims_policy;
  /// The variants, at least one. The figures show the first one.
  std::vector<ClustersVariant> variants;
  std::vector<ClustersPolicyVerdicts> other_policies;
};

/// Judges the claims and compares the policies. `variants` must have at least one element.
[[nodiscard]] ClustersReport clusters_report(const ClustersOptions& options,
                                             std::vector<std::pair<ClustersAssumptions, ClustersResults>> variants);

/// Returns tables for terminals: speeds and bounds of the first variant, the verdicts, and the comparison of policies.
[[nodiscard]] std::string clusters_text(const ClustersReport& report);
/// Returns the content of `clusters_text` as JSON, with all variants.
[[nodiscard]] Json clusters_json(const ClustersReport& report);
/// Returns a Markdown text with the verdicts and their rules, the comparison of policies, speeds and figures.
[[nodiscard]] std::string clusters_markdown(const ClustersReport& report);
/// Returns the table in the manual: the verdicts as Markdown, one line for each claim.
[[nodiscard]] std::string clusters_table(const ClustersReport& report);
/// Returns every point under all assumptions as CSV, with a line of titles.
[[nodiscard]] std::string clusters_csv(const ClustersReport& report);

/// Writes figure4.svg, figure5.svg, figure6.svg, policies.svg (`clusters_figures`), clusters.csv, claims.csv, table.md,
/// report.md and report.json into `folder`, which must exist. Fails with `io`.
[[nodiscard]] Result<void> write_clusters_report(const std::string& folder, const ClustersReport& report);

}  // namespace troupe::apps
