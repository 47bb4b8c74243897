/// Traces of the tasks of OpenCL programs.
#pragma once

#include <string>

#include "troupe/runtime.hpp"

namespace troupe::opencl {

/// Returns the path in the environment variable TROUPE_OPENCL_TRACE, if traces can be written there. Empty if the
/// variable is not set and, after a line on standard error, if traces cannot be written.
[[nodiscard]] const std::string& trace_path();

/// Writes the runtime's trace to `trace_path`; that of a second runtime of this process to "t-2.json", and so on.
/// Errors are reported on standard error.
void write_trace_of(Runtime& runtime);

}  // namespace troupe::opencl
