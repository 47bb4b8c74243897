#include "opencl/execution/trace_output.hpp"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "client/environment/run_output.hpp"
#include "opencl/objects/report.hpp"
#include "platform/environment_value.hpp"
#include "traces/files/trace_file.hpp"

namespace troupe::opencl {

namespace {

std::string checked_path() {
  std::string path = platform::environment_value("TROUPE_OPENCL_TRACE");
  if (path.empty()) return {};
  if (const Result<void> usable = traces::check_trace_path(path); !usable) {
    report(fmt::format("TROUPE_OPENCL_TRACE: {}; no trace is written", usable.failure().message));
    return {};
  }
  return path;
}

}  // namespace

const std::string& trace_path() {
  static const auto* const path = new std::string(checked_path());
  return *path;
}

void write_trace_of(Runtime& runtime) {
  static std::atomic<int> written{0};
  if (trace_path().empty()) return;
  Trace trace = runtime.take_trace();
  if (trace.events.empty()) return;
  const std::string path = client::numbered_file(trace_path(), ++written);
  const traces::TraceDescription description = traces::describe("OpenCL", trace, runtime.report());
  if (const Result<void> done = traces::write_trace(path, std::move(trace), description); !done) {
    report(done.failure().message);
  }
}

}  // namespace troupe::opencl
