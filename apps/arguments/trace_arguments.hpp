/// The options `--trace`, `--trace-limit` and `--report`, and the trace files and reports that they request.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proto/json/json.hpp"
#include "traces/analysis/run_analysis.hpp"
#include "troupe/report.hpp"
#include "troupe/runtime_options.hpp"
#include "troupe/trace.hpp"

namespace CLI {
class App;
}

namespace troupe::apps {

struct TraceArguments {
  /// The path of the trace file; empty if none is wanted.
  std::string file;
  bool report = false;
  std::size_t limit = RuntimeOptions{}.observation.trace_limit;
};

void add_trace_options(CLI::App& command, TraceArguments& arguments);

/// Refuses `--trace-limit` if nothing is traced. `picture` is true if a picture is drawn, which needs a trace.
void refuse_ignored_trace_options(const CLI::App& command, const TraceArguments& arguments, bool picture = false);

/// Switches tracing on if it is needed. Throws `bad_input` if the file cannot be written.
void prepare_trace(const TraceArguments& arguments, RuntimeOptions& runtime);

/// The observations of one run.
struct TracedRun {
  /// The title, such as "cholesky, n = 4096".
  std::string title;
  /// The time from the beginning of the work to its end.
  traces::Interval window;
  Trace trace;
  RunReport report;
};

/// The results of tracing one run.
struct TraceOutcome {
  /// The file that was written; empty if none was.
  std::string file;
  /// True if a requested file could not be written: the command then fails after it has printed its results.
  bool lost = false;
  std::optional<traces::RunAnalysis> analysis;
  /// The workers' devices, for the report.
  std::vector<std::string> devices;
};

/// Writes the file and analyses the run, as far as the arguments request it. If the file could not be written or is not
/// complete, reports that on standard error; the run's result stays valid.
[[nodiscard]] TraceOutcome finish_trace(const TraceArguments& arguments, TracedRun run);

/// Prints the report to standard output, after the command's own results.
void print_text(const TraceOutcome& outcome);
/// Adds the keys `trace` and `report` to the command's object.
void add_json(const TraceOutcome& outcome, Json& json);

/// Returns the current time by the clock of traces.
[[nodiscard]] TimeStamp trace_time();

}  // namespace troupe::apps
