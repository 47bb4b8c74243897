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

/// Adds to `machine` the kernels of application "sparse-lu" that its description lacks, derived from those of "lu" at
/// tile `block`, in this precision ("single", "double"): getrf_super, trsm_right_upper_super, trsm_left_lower_super and
/// gemm_super. A task on a super-block takes the times of its blocks' kernels one after the other, on cores and on GPUs
/// alike; gemm_super takes gemm's time for each product. The times of a panel are summed for full super-blocks of 1 x 1
/// to `side` x `side` blocks; other super-blocks take the time of as many operations. The machine has all of lu's
/// kernels. Returns what was derived.
std::vector<DerivedKernel> derive_super_blocks(platform::MachineDescription& machine, const std::string& precision,
                                               std::int64_t block, int side);
/// Returns a sentence such as "gemm_super: as many times gemm as it has products"; empty if nothing was derived.
[[nodiscard]] std::string text_of_super_blocks(const std::vector<DerivedKernel>& derived);

/// Returns the codelets that `linalg::block_lu` submits with super-blocks of `side` x `side` blocks, with an
/// implementation for each kind of device that the machine has times for. They cannot be executed on GPUs. Fails with
/// `bad_input` if a kernel is missing, or has no times on cores.
template <class T>
[[nodiscard]] Result<linalg::BlockLuKernels<T>> modelled_block_lu(const platform::MachineDescription& machine,
                                                                  kernels::SuperTasks tasks, int side);

}  // namespace troupe::apps
