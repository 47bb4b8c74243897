/// The implementations for GPUs of the codelets on super-blocks (kernels/cuda/cuda_super_blocks.cpp). In a build
/// without CUDA, these functions do nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/sparse/super_block_codelets.hpp"

namespace troupe::kernels {

/// Gives the codelets their implementation for `DeviceKind::cuda`. A task makes batched calls (`BlockBatches`): at most
/// one call of each kind for each index of a diagonal block within the super-block, whatever the number of blocks. If
/// the build had no compiler for device code, the function does nothing.
template <class T>
void add_gpu_implementations(SuperBlockCodelets<T>& codelets);

enum class SuperBlockStep { factorize, solve_upper, solve_lower, multiply };
inline constexpr std::size_t kSuperBlockSteps = 4;

/// The number of tasks on GPUs, and the number of library calls and launches of our own kernels that these tasks
/// needed. A library's call may launch more than one kernel.
struct StepLaunches {
  std::uint64_t tasks = 0;
  std::uint64_t launches = 0;
};
/// The launches, indexed by `SuperBlockStep`.
using SuperBlockLaunches = std::array<StepLaunches, kSuperBlockSteps>;

/// Returns the launches on all GPUs since the first runtime with these codelets began; zeros if there is no such
/// runtime. May be called from any thread.
[[nodiscard]] SuperBlockLaunches super_block_launches();

}  // namespace troupe::kernels
