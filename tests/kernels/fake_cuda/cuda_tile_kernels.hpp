/// Troupe's own kernels on the fake's GPUs.
#pragma once

#include "tests/support/fake_cuda/control.hpp"

namespace troupe::tests {

/// Lets the fake run the kernels of kernels/cuda/cuda_tile_kernels.cu. Their source is compiled for the host, and
/// threads run one after the other between barriers. A launch that would touch memory beyond its operands is a fault,
/// and so is a barrier that some threads of a block do not reach.
void register_tile_kernels(FakeCudaControl& fake);

}  // namespace troupe::tests
