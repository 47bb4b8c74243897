/// Described machines with changed assumptions.
#pragma once

#include <string_view>

#include "troupe/errors.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

/// Returns the machine `name`, which comes with Troupe, with GPUs that are `factor` times as fast as the file assumes
/// on kernels whose times were not measured there (`"time_origin": "assumed"`); their deviations shrink as much. Times
/// on cores, and everything that was measured, stay. Fails with `invalid_argument` for an unknown machine or a factor
/// that is not positive.
[[nodiscard]] Result<platform::MachineDescription> machine_with_assumptions(std::string_view name, double factor);

/// The links from GPUs to host memory: those of the file, or one link for each GPU.
enum class GpuLinks { as_described, one_each };

/// Returns the machine `name`, which comes with Troupe, and fills in what its file leaves open: kernel times without a
/// deviation get one of `share` of their mean, and GPUs get the links asked for, each with the bandwidth that copies
/// between it and the host reach. Fails with `invalid_argument` for an unknown machine or a negative share.
[[nodiscard]] Result<platform::MachineDescription> machine_with_deviation(std::string_view name, double share,
                                                                          GpuLinks links);

/// Returns a machine that comes with Troupe, where products of super-blocks reach `share` of the GPU's peak instead of
/// what the file assumes (`assumptions.gpu_streamed_gemm_share_of_peak`). Fails with `invalid_argument` if the file
/// assumes no such share, or if the share is not above 0 and at most 1.
[[nodiscard]] Result<platform::MachineDescription> machine_with_streamed_share(std::string_view name, double share);

}  // namespace troupe::apps
