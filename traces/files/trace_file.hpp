/// Traces as files that viewers open.
#pragma once

#include <string>
#include <vector>

#include "actors/reporting/run_report.hpp"
#include "actors/reporting/trace.hpp"
#include "proto/errors.hpp"

namespace troupe::traces {

/// What files and pictures say of a trace besides its events. Of a run on this machine `describe` makes it.
struct TraceDescription {
  /// "cholesky, n = 4096".
  std::string title;
  /// The workers' devices, by index: "cpu core 3".
  std::vector<std::string> workers;
  /// When the run began; no task started earlier. Becomes 0 in the file.
  TimeStamp begin{};
  /// The memory nodes, by number: "host", "GPU 0". Empty where the trace has no copies.
  std::vector<std::string> nodes = {};
};

/// From `Runtime::report`, at any time after the run. The run began when the first task of the trace did: where
/// something before it is to be seen, too, change `begin`.
[[nodiscard]] TraceDescription describe(std::string title, const Trace& trace, const RunReport& report);

/// Whether `write_trace` could write to `path`, so that a long run is not started for nothing: `bad_input` for a name
/// that ends neither in `.json` nor in `.paje`, and for a path where no file can be put.
Result<void> check_trace_path(const std::string& path);

/// Writes `path`, for Perfetto and Chrome where it ends in `.json`, for ViTE where it ends in `.paje`. The file appears
/// complete or not at all, unless it is a pipe or a device. `ErrorCode::io` where it cannot be written.
Result<void> write_trace(const std::string& path, Trace trace, const TraceDescription& description);

}  // namespace troupe::traces
