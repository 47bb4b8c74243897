/// The summary of a measured run, as text for people and as JSON.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "apps/arguments/trace_arguments.hpp"
#include "apps/run/cluster_choice.hpp"
#include "apps/run/sparse_facts.hpp"
#include "linalg/residuals.hpp"
#include "proto/json/json.hpp"
#include "traces/picture/picture.hpp"
#include "troupe/report.hpp"
#include "troupe/runtime.hpp"
#include "troupe/trace.hpp"

namespace troupe::apps {

struct MeasuredRun {
  double seconds = 0;
  double gflops = 0;
  /// The rate of concurrent matrix products on the same cores, measured just before or after the run; 0 if it was not
  /// measured.
  double peak_gflops = 0;
};

struct RunSummary {
  std::string application;
  /// For LU, the kind of pivoting; otherwise empty.
  std::string pivoting;
  std::string problem;
  std::string precision;
  std::string policy;
  std::int64_t n = 0;
  std::int64_t tile = 0;
  std::uint64_t seed = 0;
  std::vector<MeasuredRun> runs;
  /// The residuals of the last run. Report, trace and window are also from the last run.
  std::vector<linalg::Residual> residuals;
  RunReport report;
  Trace trace;
  traces::Interval window;
  std::optional<traces::PictureFiles> picture;
  /// The metrics since the runtime's start.
  std::optional<MetricsSnapshot> metrics;
  TraceOutcome traced;
  /// The search for clusters; nothing if no clusters were searched for.
  std::optional<ClusterChoice> clusters;
  /// The facts about a sparse matrix; nothing for a dense matrix.
  std::optional<SparseFacts> sparse;

  /// Returns the method, such as "cholesky" or "lu (pivoting: partial)".
  [[nodiscard]] std::string method() const;
  /// Returns a title such as "cholesky, n = 4096, tile 384, double precision".
  [[nodiscard]] std::string title() const;
  [[nodiscard]] double median_seconds() const;
  [[nodiscard]] double median_gflops() const;
  /// Returns the median of the runs' rates, each divided by the peak that was measured with the run; NaN if no peak was
  /// measured.
  [[nodiscard]] double median_fraction_of_peak() const;
};

/// Returns a report on the time from the `earlier` report to the `later` report of the same runtime.
[[nodiscard]] RunReport difference(const RunReport& later, const RunReport& earlier);

/// Returns the report of a run whose results are there. These come a little before the last tasks are counted as ended,
/// so the function waits for all tasks.
[[nodiscard]] RunReport report_at_end(Runtime& runtime);

/// Returns the picture of the traced run.
[[nodiscard]] traces::Picture picture_of(const RunSummary& summary);

/// Returns one object for each worker of a run that took `run_seconds`.
[[nodiscard]] Json workers_as_json(const RunReport& report, double run_seconds);
/// Returns a policy's options: `{"alpha": "0.5", "cp": true}` for "dada:alpha=0.5,cp"; empty if there are none.
[[nodiscard]] Json policy_options_json(const std::string& specification);

/// Returns JSON as text that people and programs can read. Bytes that are not UTF-8, for example in a file's name, are
/// replaced.
[[nodiscard]] std::string as_text(const Json& json);

/// Prints the summary to standard output, as one JSON object or as tables.
void print(const RunSummary& summary, bool json);

}  // namespace troupe::apps
