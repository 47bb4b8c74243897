#include "client/environment/run_output.hpp"

#include <errno.h>  // NOLINT: program_invocation_short_name is in no C++ header
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <utility>

#include "client/environment/run_writer.hpp"

namespace troupe::client {

namespace {

std::string with_process(std::string path) {
  constexpr std::string_view kProcess = "%p";
  for (std::size_t at = 0; (at = path.find(kProcess, at)) != std::string::npos;) {
    path.replace(at, kProcess.size(), std::to_string(::getpid()));
  }
  return path;
}

void write(Backend& backend, const WrittenAtStop& wanted, const RunWriter& writer) {
  static std::atomic<int> traces{0};
  // A kernel or a callback must not wait for tasks. If the runtime is destroyed inside a kernel or a callback, it is
  // abandoned, and its output is not written.
  if (const Result<void> ended = backend.wait_all(); !ended && ended.failure().code == ErrorCode::wait_in_kernel)
    return;
  const std::string program = ::program_invocation_short_name;
  const RunReport report = backend.report().value_or_throw();
  std::string text;
  if (wanted.report || !wanted.trace.empty()) {
    Trace trace = backend.take_trace().value_or_throw();
    if (wanted.report) text += writer.report_text(trace, report);
    // There are no events if the program has already taken the trace, or has run no tasks.
    if (!wanted.trace.empty() && !trace.events.empty()) {
      const std::string path = numbered_file(with_process(wanted.trace), ++traces);
      writer.write_trace(path, program, std::move(trace), report).value_or_throw();
    }
  }
  if (wanted.metrics) text += writer.metrics_text(backend.metrics().value_or_throw());
  if (!text.empty()) fmt::print(stderr, "troupe: what the runtime of {} did\n{}", program, text);
}

}  // namespace

std::string numbered_file(const std::string& path, int number) {
  if (number == 1) return path;
  std::filesystem::path other = path;
  other.replace_filename(fmt::format("{}-{}{}", other.stem().string(), number, other.extension().string()));
  return other;
}

void write_at_stop(Backend& backend, const WrittenAtStop& wanted,
                   const std::function<void(const std::string&)>& warn) noexcept {
  const RunWriter* const writer = run_writer();
  // The runtime has already warned at its start that there is no writer.
  if (writer == nullptr) return;
  try {
    write(backend, wanted, *writer);
  } catch (const std::exception& error) {
    try {
      warn(fmt::format("what the runtime did is not written: {}", error.what()));
    } catch (...) {
      // There is no other way to report the failure.
    }
  }
}

}  // namespace troupe::client
