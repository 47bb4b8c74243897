/// Small machine descriptions with random numbers.
#pragma once

#include <vector>

#include "proto/random.hpp"
#include "troupe/machine.hpp"

namespace troupe::tests {

/// Returns a machine with 1 to 5 cores and `gpus` GPUs. Some or all routes share links of any bandwidth and latency.
/// The machine has times of `kTimedKernels` kernels ("test/k0/long", …) on cores, on clusters of three and five cores,
/// and on GPUs. The times of kernels with even numbers depend on the size of the data.
[[nodiscard]] platform::MachineDescription random_machine(Random& random, int gpus);

/// Draws the times on clusters of three and five cores from the time on one core. They may be shorter or longer than
/// that time.
[[nodiscard]] std::vector<platform::ClusterTime> random_clusters(const platform::KernelTime& one);

}  // namespace troupe::tests
