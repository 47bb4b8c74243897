/// The command line `troupe-gpu-bench`.
#pragma once

namespace troupe::bench {

/// The exit code if there is no GPU to measure.
inline constexpr int kNoGpu = 3;

/// Parses the arguments, measures and prints one table; returns the exit code: 0 measured; 1 something failed or was
/// wrong (a speed below the target is neither); 2 arguments that cannot be used; `kNoGpu`. Never throws.
int run_gpu_bench(int argc, const char* const* argv);

}  // namespace troupe::bench
