/// The command line `troupe-bench`.
#pragma once

namespace troupe::bench {

/// Parses the arguments, runs the benchmark and reports; returns the exit code: 0 measured (peers may be missing); 1 a
/// runner failed; 2 arguments that cannot be used. Never throws.
int run_bench_command_line(int argc, const char* const* argv);

}  // namespace troupe::bench
