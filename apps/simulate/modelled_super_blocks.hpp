/// The kernels of sparse LU on super-blocks, with the times of a described machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/simulate/derived_kernels.hpp"
#include "linalg/sparse/block_lu.hpp"
#include "troupe/errors.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

/// Adds to `machine` the missing kernels of application "sparse-lu", derived from those of "lu" for the tile `block`,
/// in this precision ("single", "double"): getrf_super, trsm_right_upper_super, trsm_left_lower_super and gemm_super. A
/// task on a super-block takes the sum of the times of its blocks' kernels, on cores and on GPUs; gemm_super takes the
/// time of gemm for each product. The times of a panel are computed for full super-blocks of 1 x 1 to `side` x `side`
/// blocks; other super-blocks take the time of the same number of operations. The machine must have all kernels of
/// "lu". Returns the derived kernels.
std::vector<DerivedKernel> derive_super_blocks(platform::MachineDescription& machine, const std::string& precision,
                                               std::int64_t block, int side);
/// Returns a sentence such as "gemm_super: as many times gemm as it has products"; empty if no kernels were derived.
[[nodiscard]] std::string text_of_super_blocks(const std::vector<DerivedKernel>& derived);

/// Returns the codelets that `linalg::block_lu` submits with super-blocks of `side` x `side` blocks, with an
/// implementation for each kind of device for which the machine has times. The implementations for GPUs only have times
/// and cannot be executed. Fails with `bad_input` if a kernel is missing, or has no times on cores.
template <class T>
[[nodiscard]] Result<linalg::BlockLuKernels<T>> modelled_block_lu(const platform::MachineDescription& machine,
                                                                  kernels::SuperTasks tasks, int side);

}  // namespace troupe::apps
