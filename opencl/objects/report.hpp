/// Explanations of errors as lines on standard error, "troupe: OpenCL: …", because an error code alone explains little.
#pragma once

#include <string>

namespace troupe::opencl {

/// Writes a line on standard error.
void report(const std::string& what);

/// Writes a line as `report` does, but only for the first report with this name in the process: otherwise a permanent
/// fault would fill the log. After a hundred names, one last line says that no more lines follow. Returns true for the
/// first report. May be called from any thread.
bool report_once(const std::string& name, const std::string& what);
inline bool report_once(const std::string& what) { return report_once(what, what); }

/// Returns true if `report_once` has reported something.
[[nodiscard]] bool has_reported() noexcept;

}  // namespace troupe::opencl
