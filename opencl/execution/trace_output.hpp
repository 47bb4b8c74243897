/// Traces of the tasks of OpenCL programs.
#pragma once

#include <string>

#include "troupe/runtime.hpp"

namespace troupe::opencl {

/// Returns the path in the environment variable TROUPE_OPENCL_TRACE. Empty if the variable is not set or, after a line
/// on standard error, if traces cannot be written to this path.
[[nodiscard]] const std::string& trace_path();

/// Writes the runtime's trace to `trace_path`, such as "t.json"; the trace of a second runtime of this process goes to
/// "t-2.json", and so on. Errors are reported on standard error.
void write_trace_of(Runtime& runtime);

}  // namespace troupe::opencl
