/// The functions that write traces and reports. This library, libtroupe, cannot call them directly: they belong to
/// libtroupe_traces, which depends on libtroupe.
#pragma once

#include <string>

#include "troupe/errors.hpp"
#include "troupe/report.hpp"
#include "troupe/trace.hpp"

namespace troupe::client {

/// Functions of libtroupe_traces, which may be called from any thread.
struct RunWriter {
  /// Calls `traces::check_trace_path`.
  Result<void> (*check_trace_path)(const std::string& path) = nullptr;
  Result<void> (*write_trace)(const std::string& path, const std::string& title, Trace trace,
                              const RunReport& report) = nullptr;
  /// Describes how the time was spent. Uses the trace if it has tasks.
  std::string (*report_text)(const Trace& trace, const RunReport& report) = nullptr;
  std::string (*metrics_text)(const MetricsSnapshot& metrics) = nullptr;
};

/// Called by libtroupe_traces when it is loaded, or by a program's own copy of that library before `main`. `writer`
/// must live as long as the process.
void register_run_writer(const RunWriter* writer) noexcept;

/// Returns the registered writer. If there is none and this code is in the shared library libtroupe, the function loads
/// libtroupe_traces from the same folder. Returns null if no writer can be found.
[[nodiscard]] const RunWriter* run_writer();

/// Returns the reason why there is no writer, as text for the user. Call this function after `run_writer` has returned
/// null.
[[nodiscard]] std::string why_no_run_writer();

}  // namespace troupe::client
