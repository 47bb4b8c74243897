/// Registers Troupe's own GPU kernels with the fake GPUs.
#pragma once

#include "tests/support/fake_cuda/control.hpp"

namespace troupe::tests {

/// Lets the fake GPUs run the kernels of kernels/cuda/cuda_tile_kernels.cu. The source is compiled for the host, and
/// the threads of a block run one after the other up to each barrier. A launch becomes a fault if it would access
/// memory beyond its operands, or if some threads of a block do not reach a barrier.
void register_tile_kernels(FakeCudaControl& fake);

}  // namespace troupe::tests
