/// The options `--trace`, `--trace-limit` and `--report`, and what they lead to.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "actors/reporting/run_analysis.hpp"
#include "actors/reporting/run_report.hpp"
#include "actors/reporting/trace.hpp"
#include "actors/running/runtime_options.hpp"

namespace CLI {
class App;
}

namespace troupe::apps {

struct TraceArguments {
  /// Empty: no file.
  std::string file;
  bool report = false;
  std::size_t limit = RuntimeOptions{}.trace_limit;
};

void add_trace_options(CLI::App& command, TraceArguments& arguments);

/// Refuses `--trace-limit` where nothing is traced; `picture`: one is drawn, of a trace.
void refuse_ignored_trace_options(const CLI::App& command, const TraceArguments& arguments, bool picture = false);

/// Switches tracing on where it is needed. Throws `bad_input` where the file could not be written.
void prepare_trace(const TraceArguments& arguments, RuntimeOptions& runtime);

/// One run, observed.
struct TracedRun {
  /// "cholesky, n = 4096".
  std::string title;
  /// From the beginning of the work to its end.
  actors::Interval window;
  Trace trace;
  RunReport report;
};

/// What came of it.
struct TraceOutcome {
  /// What was written; empty where nothing was.
  std::string file;
  /// A file was asked for, and could not be written: the command fails, once it has printed its results.
  bool lost = false;
  std::optional<actors::RunAnalysis> analysis;
  /// Of the workers, for the report.
  std::vector<std::string> devices;
};

/// Writes the file and analyses the run, as asked. Says on standard error where the file could not be written, or is
/// not complete; the run's result stands.
[[nodiscard]] TraceOutcome finish_trace(const TraceArguments& arguments, TracedRun run);

/// To standard output, after the command's own results.
void print_text(const TraceOutcome& outcome);
/// Adds the keys `trace` and `report` to the command's object.
void add_json(const TraceOutcome& outcome, nlohmann::json& json);

/// Now, by the clock of traces.
[[nodiscard]] TimeStamp trace_time();

}  // namespace troupe::apps
