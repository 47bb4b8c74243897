/// Lets the runtime library write traces and reports (client/environment/run_writer.hpp).
#pragma once

namespace troupe::traces {

/// Tells it who can. Whoever loads libtroupe_traces, or has `write_trace` linked into itself, has had it called before
/// `main`. True.
bool offer_run_writer() noexcept;

}  // namespace troupe::traces
