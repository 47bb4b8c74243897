/// Explanations of errors, which a code alone does not give: lines on standard error, "troupe: OpenCL: …".
#pragma once

#include <string>

namespace troupe::opencl {

/// Writes a line on standard error.
void report(const std::string& what);

/// Writes a line as `report` does, but only for the first report under a name in this process: a lasting fault would
/// fill the log. After a hundred names one last line says that no more are written. Returns true for the first report.
/// May be called from any thread.
bool report_once(const std::string& name, const std::string& what);
inline bool report_once(const std::string& what) { return report_once(what, what); }

/// Returns true if `report_once` has reported something.
[[nodiscard]] bool has_reported() noexcept;

}  // namespace troupe::opencl
