#include "apps/arguments/trace_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/arguments/common_arguments.hpp"
#include "apps/arguments/runtime_arguments.hpp"
#include "apps/terminal/standard_error.hpp"
#include "platform/machine/clock.hpp"
#include "proto/json/json.hpp"
#include "traces/files/trace_file.hpp"
#include "traces/text/analysis_json.hpp"
#include "traces/text/human.hpp"

namespace troupe::apps {

namespace {

void warn(const std::string& message) { say(fmt::format("troupe: warning: {}\n", message)); }

}  // namespace

void add_trace_options(CLI::App& command, TraceArguments& arguments) {
  command
      .add_option("--trace", arguments.file,
                  "Write what ran when: PATH.json (for Perfetto and Chrome) or PATH.paje (for ViTE)")
      ->check(check_file_name);
  add_runtime_option(command, "trace_limit", [&arguments](const RuntimeOptions& given) {
    arguments.limit = given.observation.trace_limit;
  })->default_str(std::to_string(arguments.limit));
  command.add_flag("--report", arguments.report, "Explain where the time went");
}

void refuse_ignored_trace_options(const CLI::App& command, const TraceArguments& arguments, bool picture) {
  refuse_ignored(command, "--trace-limit", picture || arguments.report || !arguments.file.empty(),
                 "what is traced: give --trace or --report as well");
}

void prepare_trace(const TraceArguments& arguments, RuntimeOptions& runtime) {
  if (!arguments.file.empty()) traces::check_trace_path(arguments.file).value_or_throw();
  runtime.trace = runtime.trace || arguments.report || !arguments.file.empty();
  runtime.observation.trace_limit = arguments.limit;
}

TraceOutcome finish_trace(const TraceArguments& arguments, TracedRun run) {
  TraceOutcome outcome;
  traces::TraceDescription description = traces::describe(run.title, run.trace, run.report);
  description.begin = run.window.start;
  outcome.devices = description.workers;
  if (arguments.report) outcome.analysis = traces::analyse(run.trace, outcome.devices.size(), run.window);
  if ((arguments.report || !arguments.file.empty()) && run.trace.dropped > 0) {
    warn(fmt::format("the trace is not complete: there was no room for {} of its entries (--trace-limit {})",
                     human_count(run.trace.dropped), arguments.limit));
  }
  if (arguments.file.empty()) return outcome;
  const auto written = traces::write_trace(arguments.file, std::move(run.trace), description);
  if (written) {
    outcome.file = arguments.file;
  } else {
    outcome.lost = true;
    warn("the trace was not written: " + written.failure().message);
  }
  return outcome;
}

void print_text(const TraceOutcome& outcome) {
  if (outcome.analysis) fmt::print("\n{}", traces::analysis_text(*outcome.analysis, outcome.devices));
  if (!outcome.file.empty()) fmt::print("\nTrace: {}\n", outcome.file);
}

void add_json(const TraceOutcome& outcome, Json& json) {
  if (outcome.analysis) json["report"] = traces::analysis_json(*outcome.analysis);
  if (!outcome.file.empty()) json["trace"] = outcome.file;
}

TimeStamp trace_time() { return platform::SteadyClock().now(); }

}  // namespace troupe::apps
