/// Small machine descriptions with random figures.
#pragma once

#include <vector>

#include "proto/random.hpp"
#include "troupe/machine.hpp"

namespace troupe::tests {

/// 1 to 5 cores, `gpus` GPUs; routes over links that some or all of them share, of any bandwidth and latency; times of
/// `kTimedKernels` kernels ("test/k0/long", …) on cores, clusters of three and five of them, and GPUs, of which those
/// with even numbers depend on the size of the data.
[[nodiscard]] platform::MachineDescription random_machine(Random& random, int gpus);

/// Draws the times of clusters of three and five cores from the time of one core. They may be less or more than that
/// time.
[[nodiscard]] std::vector<platform::ClusterTime> random_clusters(const platform::KernelTime& one);

}  // namespace troupe::tests
