/// The command line `troupe-gpu-bench`.
#pragma once

namespace troupe::bench {

/// Exit code where there is no GPU to measure.
inline constexpr int kNoGpu = 3;

/// Parses the arguments, measures and prints one table; returns the exit code: 0 measured; 1 something failed or was
/// wrong (a speed below what is aimed at is neither); 2 arguments that cannot be used; `kNoGpu`. Never throws.
int run_gpu_bench(int argc, const char* const* argv);

}  // namespace troupe::bench
