/// What an error code does not tell: lines on standard error, "troupe: OpenCL: …".
#pragma once

#include <string>

namespace troupe::opencl {

/// Writes a line.
void report(const std::string& what);

/// The same, but only what is reported first under a name in this process: a fault that stays would fill the log. After
/// a hundred names one last line says that no more are written. True: it was the first. Any thread.
bool report_once(const std::string& name, const std::string& what);
inline bool report_once(const std::string& what) { return report_once(what, what); }

/// Whether something was reported so.
[[nodiscard]] bool has_reported() noexcept;

}  // namespace troupe::opencl
