/// Traces for Perfetto and for chrome://tracing.
#pragma once

#include "traces/files/buffered_file.hpp"
#include "traces/files/trace_file.hpp"
#include "troupe/trace.hpp"

namespace troupe::traces {

/// Prints Chrome's "Trace Event Format", as one JSON object. There is one thread per worker. The thread has a complete
/// event (`X`) for each task, and for each time in which the worker tried to steal, spun for work or slept. There is a
/// flow (`s` to `f`) for each dependency between tasks of the trace, and from the kernel of a nested task to each of
/// its children. There is a counter of running tasks. Times are microseconds since the begin, exact to the nanosecond.
/// In names, bytes that are not UTF-8 are replaced.
void print_chrome(const Trace& trace, const TraceDescription& description, BufferedFile& out);

}  // namespace troupe::traces
