/// Who writes traces and reports. This library cannot: files and tables are libtroupe_traces', which stands on it.
#pragma once

#include <string>

#include "actors/observation/metrics_snapshot.hpp"
#include "actors/reporting/run_report.hpp"
#include "actors/reporting/trace.hpp"
#include "proto/errors.hpp"

namespace troupe::client {

/// Functions of libtroupe_traces. Any thread may call them.
struct RunWriter {
  /// `traces::check_trace_path`.
  Result<void> (*check_trace_path)(const std::string& path) = nullptr;
  Result<void> (*write_trace)(const std::string& path, const std::string& title, Trace trace,
                              const RunReport& report) = nullptr;
  /// Where the time went: by the trace, where it has tasks.
  std::string (*report_text)(const Trace& trace, const RunReport& report) = nullptr;
  std::string (*metrics_text)(const MetricsSnapshot& metrics) = nullptr;
};

/// Called by libtroupe_traces when it is loaded, or by a program's own copy of it before `main`. `writer` stays as long
/// as the process.
void register_run_writer(const RunWriter* writer) noexcept;

/// The one that is registered; where there is none and this is the shared library libtroupe, libtroupe_traces of the
/// same folder is loaded. Null where there is none to be had.
[[nodiscard]] const RunWriter* run_writer();

/// Why there is none, for people. After a call of `run_writer` that has returned null.
[[nodiscard]] std::string why_no_run_writer();

}  // namespace troupe::client
