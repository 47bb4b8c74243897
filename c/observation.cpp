/// Reports for C programs: what a runtime is doing and what it has done.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "c/guard.hpp"
#include "c/objects.hpp"
#include "proto/json/json.hpp"
#include "traces/files/trace_file.hpp"
#include "traces/text/analysis_json.hpp"
#include "traces/text/analysis_report.hpp"
#include "traces/text/mailbox_table.hpp"
#include "traces/text/run_text.hpp"

namespace troupe::c {

namespace {

/// Copies the text into memory from malloc, so that a C caller can free it.
void give_text(const std::string& text, char** result) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *result = copy;
}

bool wants_json(troupe_format format) {
  if (format == TROUPE_JSON) return true;
  if (format == TROUPE_TEXT) return false;
  throw Error(ErrorCode::invalid_argument,
              "there is no troupe_format " + std::to_string(format) + ": use TROUPE_TEXT or TROUPE_JSON");
}

std::string as_text(const Json& json) { return json.dump(2); }

}  // namespace
}  // namespace troupe::c

using namespace troupe;     // NOLINT: the functions of the interface lie outside of all namespaces
using namespace troupe::c;  // NOLINT

extern "C" {

void troupe_text_free(char* text) { std::free(text); }

troupe_error troupe_why(const troupe_runtime* runtime, troupe_format format, char** text) {
  return guarded([&] {
    const auto state = state_of(runtime);
    require(text, "text");
    const bool json = wants_json(format);
    const WhyReport report = state->runtime().why();
    give_text(json ? report.to_json() : report.to_text(), text);
  });
}

troupe_error troupe_metrics(const troupe_runtime* runtime, troupe_format format, char** text) {
  return guarded([&] {
    const auto state = state_of(runtime);
    require(text, "text");
    const bool json = wants_json(format);
    const MetricsSnapshot metrics = state->runtime().metrics();
    give_text(json ? c::as_text(traces::metrics_as_json(metrics)) : traces::mailbox_table(metrics), text);
  });
}

troupe_error troupe_report(const troupe_runtime* runtime, char** text) {
  return guarded([&] {
    const auto state = state_of(runtime);
    require(text, "text");
    give_text(traces::run_text(state->runtime().report()), text);
  });
}

troupe_error troupe_virtual_time(const troupe_runtime* runtime, double* time) {
  return guarded([&] {
    const auto state = state_of(runtime);
    require(time, "seconds");
    *time = seconds(state->runtime().report().virtual_time.value_or(Duration{}));
  });
}

troupe_error troupe_take_trace(troupe_runtime* runtime, troupe_trace** trace) {
  return guarded([&] {
    const auto state = state_of(runtime);
    require(trace, "trace");
    auto taken = std::make_unique<troupe_trace>();
    taken->trace = state->runtime().take_trace();
    taken->report = state->runtime().report();
    *trace = taken.release();
  });
}

troupe_error troupe_trace_tasks(const troupe_trace* trace, uint64_t* tasks) {
  return guarded([&] {
    require(trace, "trace");
    require(tasks, "tasks");
    *tasks = trace->trace.events.size();
  });
}

troupe_error troupe_trace_write(const troupe_trace* trace, const char* path, const char* title) {
  return guarded([&] {
    require(trace, "trace");
    require(path, "path");
    traces::check_trace_path(path).value_or_throw();
    traces::write_trace(path, trace->trace, traces::describe(text_of(title), trace->trace, trace->report))
        .value_or_throw();
  });
}

troupe_error troupe_trace_report(const troupe_trace* trace, troupe_format format, char** text) {
  return guarded([&] {
    require(trace, "trace");
    require(text, "text");
    if (wants_json(format)) {
      const auto analysis = traces::analyse(trace->trace, trace->report.workers.size());
      give_text(c::as_text(traces::analysis_json(analysis)), text);
    } else {
      give_text(traces::run_text(trace->report, trace->trace), text);
    }
  });
}

void troupe_trace_free(troupe_trace* trace) { delete trace; }
}
