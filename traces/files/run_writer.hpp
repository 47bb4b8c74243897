/// Lets the runtime library, which cannot link this library, write traces and reports
/// (client/environment/run_writer.hpp).
#pragma once

namespace troupe::traces {

/// Registers this library's functions with the runtime library. This function is called before `main` in every program
/// that links `write_trace` or the shared library, and when the shared library is loaded. Returns true.
bool offer_run_writer() noexcept;

}  // namespace troupe::traces
