/// The report of the experiment with DADA.
#pragma once

#include <string>
#include <vector>

#include "lab/experiments/dada_claims.hpp"
#include "lab/experiments/dada_experiment.hpp"
#include "proto/json/json.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

/// The results under one set of assumptions (`machine_with_assumptions`).
struct DadaVariant {
  double assumptions = 1;
  bool peer_copies = true;
  DadaResults results;
  std::vector<Judgement> judgements;
};

struct DadaReport {
  DadaExperimentOptions options;
  std::string machine;
  /// The kernels whose times are derived, because the machine's description lacks them.
  std::string derived;
  /// The variants, at least one. The figures show the first one.
  std::vector<DadaVariant> variants;
};

/// Returns the verdicts as a table for terminals.
[[nodiscard]] std::string dada_text(const DadaReport& report);
/// Returns claims, verdicts and all points as JSON.
[[nodiscard]] Json dada_json(const DadaReport& report);
/// Returns the verdicts and the figures as Markdown.
[[nodiscard]] std::string dada_markdown(const DadaReport& report);
/// Returns the table in the manual: the verdicts as Markdown, one line for each claim.
[[nodiscard]] std::string dada_table(const DadaReport& report);
/// Returns the points of a figure under all assumptions as CSV, with a line of titles.
[[nodiscard]] std::string figure_csv(const DadaFigure& figure, const DadaReport& report);
/// Returns the verdicts as CSV, with a line of titles.
[[nodiscard]] std::string claims_csv(const DadaReport& report);

/// Writes figure1.svg, figure1.csv, ..., claims.csv, table.md, report.md and report.json into `folder`, which must
/// exist. Fails with `io`.
[[nodiscard]] Result<void> write_dada_report(const std::string& folder, const DadaReport& report);

}  // namespace troupe::apps
