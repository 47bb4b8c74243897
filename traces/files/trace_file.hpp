/// Traces as files that viewers open.
#pragma once

#include <string>
#include <vector>

#include "troupe/errors.hpp"
#include "troupe/report.hpp"
#include "troupe/trace.hpp"

namespace troupe::traces {

/// The texts and names that files and pictures show in addition to a trace's events. For a run on this machine,
/// `describe` makes the description.
struct TraceDescription {
  /// The title, such as "cholesky, n = 4096".
  std::string title;
  /// The workers' devices, by index, such as "cpu core 3".
  std::vector<std::string> workers;
  /// The time at which the run began; no task may have started before it. Times in files and pictures count from this
  /// time.
  TimeStamp begin{};
  /// The names of the memory nodes, by number: "host", "GPU 0". Empty if the trace has no copies.
  std::vector<std::string> nodes = {};
};

/// Makes a description for a trace. `report` is the result of `Runtime::report`, at any time after the run. `begin` is
/// set to the start of the trace's first task; to show earlier events, too, change `begin`.
[[nodiscard]] TraceDescription describe(std::string title, const Trace& trace, const RunReport& report);

/// Checks that `write_trace` can write to `path`. Call this function before a long run. Fails with `bad_input` for a
/// name that ends neither in `.json` nor in `.paje`, and for a path where no file can be created.
Result<void> check_trace_path(const std::string& path);

/// Writes the file `path`: for Perfetto and Chrome if the name ends in `.json`, for ViTE if it ends in `.paje`. The
/// file appears complete or not at all, unless `path` is a pipe or a device. Fails with `ErrorCode::io` if the file
/// cannot be written.
Result<void> write_trace(const std::string& path, Trace trace, const TraceDescription& description);

}  // namespace troupe::traces
