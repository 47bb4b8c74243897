/// Traces for ViTE.
#pragma once

#include "traces/files/buffered_file.hpp"
#include "traces/files/trace_file.hpp"
#include "troupe/trace.hpp"

namespace troupe::traces {

/// Prints the Paje format (Schnorr, "Paje trace file format", version 1.2.5). There is a container per worker. Its
/// state is the codelet of the task that the worker runs, or the worker's activity between tasks; each codelet has a
/// colour. There is a link for each dependency between tasks of the trace, and from the kernel of a nested task to each
/// of its children. Further fields of a task are its number, name, GFlop/s, priority, cores and nested task (`Parent`).
/// Times are seconds since the begin; events are in chronological order.
void print_paje(const Trace& trace, const TraceDescription& description, BufferedFile& out);

}  // namespace troupe::traces
