#include "opencl/execution/trace_output.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "opencl/objects/report.hpp"
#include "traces/files/trace_file.hpp"

namespace troupe::opencl {

namespace {

std::string checked_path() {
  const char* const path = std::getenv("TROUPE_OPENCL_TRACE");
  if (path == nullptr || *path == '\0') return {};
  if (const Result<void> usable = traces::check_trace_path(path); !usable) {
    report(fmt::format("TROUPE_OPENCL_TRACE: {}; no trace is written", usable.failure().message));
    return {};
  }
  return path;
}

/// "t.json" of the first, "t-2.json" of the second.
std::string numbered(const std::filesystem::path& path, int number) {
  if (number == 1) return path;
  std::filesystem::path other = path;
  other.replace_filename(fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string()));
  return other;
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
  const std::string path = numbered(trace_path(), ++written);
  const traces::TraceDescription description = traces::describe("OpenCL", trace, runtime.report());
  if (const Result<void> done = traces::write_trace(path, std::move(trace), description); !done) {
    report(done.failure().message);
  }
}

}  // namespace troupe::opencl
