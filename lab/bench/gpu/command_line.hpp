/// The command line `troupe-gpu-bench`.
#pragma once

namespace troupe::bench {

/// The exit code if the machine has no GPU to measure.
inline constexpr int kNoGpu = 3;

/// Parses the arguments, measures and prints one table. Returns the exit code: 0 if everything was measured; 1 if
/// something failed or a result was wrong (a speed below the target does not count); 2 for invalid arguments; `kNoGpu`
/// if there is no GPU. Never throws.
int run_gpu_bench(int argc, const char* const* argv);

}  // namespace troupe::bench
