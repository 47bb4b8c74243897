/// Traces of what OpenCL programs run.
#pragma once

#include <string>

#include "client/runtime.hpp"

namespace troupe::opencl {

/// What the environment variable TROUPE_OPENCL_TRACE names, if traces can be written there; empty if it is not set,
/// and, after a line on standard error, where they cannot.
[[nodiscard]] const std::string& trace_path();

/// Writes what the runtime has run to `trace_path`; that of a second runtime of this process to "t-2.json", and so on.
/// What goes wrong is said on standard error.
void write_trace_of(Runtime& runtime);

}  // namespace troupe::opencl
