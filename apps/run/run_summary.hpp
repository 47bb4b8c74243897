/// What a measured run has to say, for people and for machines.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "actors/observation/metrics_snapshot.hpp"
#include "actors/reporting/run_report.hpp"
#include "actors/reporting/trace.hpp"
#include "apps/arguments/trace_arguments.hpp"
#include "apps/run/cluster_choice.hpp"
#include "apps/run/sparse_facts.hpp"
#include "linalg/residuals.hpp"
#include "traces/picture/picture.hpp"

namespace troupe::apps {

struct MeasuredRun {
  double seconds = 0;
  double gflops = 0;
  /// Of concurrent matrix products on the same cores, measured next to the run; 0: not measured.
  double peak_gflops = 0;
};

struct RunSummary {
  std::string application;
  /// LU: which rows are exchanged; else empty.
  std::string pivoting;
  std::string problem;
  std::string precision;
  std::string policy;
  std::int64_t n = 0;
  std::int64_t tile = 0;
  std::uint64_t seed = 0;
  std::vector<MeasuredRun> runs;
  /// Of the last run.
  std::vector<linalg::Residual> residuals;
  RunReport report;
  Trace trace;
  actors::Interval window;
  std::optional<traces::PictureFiles> picture;
  /// Since the runtime's start.
  std::optional<MetricsSnapshot> metrics;
  TraceOutcome traced;
  /// Those that were found for the run.
  std::optional<ClusterChoice> clusters;
  /// Of a sparse matrix.
  std::optional<SparseFacts> sparse;

  /// "cholesky", "lu (pivoting: partial)".
  [[nodiscard]] std::string method() const;
  /// "cholesky, n = 4096, tile 384, double precision".
  [[nodiscard]] std::string title() const;
  [[nodiscard]] double median_seconds() const;
  [[nodiscard]] double median_gflops() const;
  /// The median over the runs of the share of the peak that was measured next to each; NaN where none was.
  [[nodiscard]] double median_share_of_peak() const;
};

/// What happened between two reports of one runtime.
[[nodiscard]] RunReport difference(const RunReport& later, const RunReport& earlier);

/// The picture of the traced run.
[[nodiscard]] traces::Picture picture_of(const RunSummary& summary);

/// One object for each worker of a run that took so long.
[[nodiscard]] nlohmann::json workers_as_json(const RunReport& report, double run_seconds);
/// A policy's options: `{"alpha": "0.5", "cp": true}` of "dada:alpha=0.5,cp"; empty where there are none.
[[nodiscard]] nlohmann::json policy_options_json(const std::string& specification);

/// For people who read it and for programs. Bytes that are no UTF-8 (of a file's name) are replaced.
[[nodiscard]] std::string as_text(const nlohmann::json& json);

/// To standard output, as one JSON object or as tables.
void print(const RunSummary& summary, bool json);

}  // namespace troupe::apps
