/// The command line `troupe-gpu-bench`.
#pragma once

namespace troupe::bench {

/// The exit code if there is no GPU to measure.
inline constexpr int kNoGpu = 3;

/// Parses the arguments, measures and prints one table. Returns the exit code: 0 if everything was measured; 1 if
/// something failed or was wrong (a speed below the target is neither); 2 for arguments that cannot be used; `kNoGpu`
/// if there is no GPU. Never throws.
int run_gpu_bench(int argc, const char* const* argv);

}  // namespace troupe::bench
