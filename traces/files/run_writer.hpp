/// Lets the runtime library write traces and reports (client/environment/run_writer.hpp).
#pragma once

namespace troupe::traces {

/// Registers this library's functions with the runtime library. In a process that loads libtroupe_traces, or links
/// `write_trace` statically, this function is called before `main`. Returns true.
bool offer_run_writer() noexcept;

}  // namespace troupe::traces
