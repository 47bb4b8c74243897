/// Traces for ViTE.
#pragma once

#include "actors/reporting/trace.hpp"
#include "traces/files/buffered_file.hpp"
#include "traces/files/trace_file.hpp"

namespace troupe::traces {

/// In the Paje format (Schnorr, "Paje trace file format", version 1.2.5): a container per worker, whose state is a
/// codelet, with a colour of its own, or what the worker did between tasks; a link for each dependency between tasks of
/// the trace. Tasks have their number, name, GFlop/s and priority as further fields. Times are seconds since the begin;
/// events are in chronological order.
void print_paje(const Trace& trace, const TraceDescription& description, BufferedFile& out);

}  // namespace troupe::traces
