/// Traces for Perfetto and for chrome://tracing.
#pragma once

#include "traces/files/buffered_file.hpp"
#include "traces/files/trace_file.hpp"
#include "troupe/trace.hpp"

namespace troupe::traces {

/// Prints Chrome's "Trace Event Format", as one JSON object. There is one thread per worker, with a complete event
/// (`X`) for each task and for each time in which the worker tried to steal, spun for work or slept; a flow (`s` to
/// `f`) for each dependency between tasks of the trace; a flow from the kernel of a nested task to each of its
/// children; and a counter of running tasks. Times are microseconds since the begin, exact to the nanosecond. Bytes of
/// names that are not UTF-8 are replaced.
void print_chrome(const Trace& trace, const TraceDescription& description, BufferedFile& out);

}  // namespace troupe::traces
