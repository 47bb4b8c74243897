/// A described machine whose assumed figures are other ones.
#pragma once

#include <string_view>

#include "platform/described/machine_description.hpp"
#include "proto/errors.hpp"

namespace troupe::apps {

/// The machine `name`, which comes with Troupe, with GPUs that are `factor` times as fast as the file assumes on
/// kernels whose times were not measured there (`"time_origin": "assumed"`); their deviations shrink as much. Times on
/// cores, and all that was measured, stay. Fails with `invalid_argument` for an unknown machine or a factor that is not
/// positive.
[[nodiscard]] Result<platform::MachineDescription> machine_with_assumptions(std::string_view name, double factor);

/// How GPUs reach host memory: as the file says, or each by a link of its own.
enum class GpuLinks { as_described, one_each };

/// The machine `name`, which comes with Troupe, with what its file leaves open: kernel times without a deviation have
/// one of `share` of their mean, and GPUs the links asked for, each with the bandwidth that copies between it and the
/// host reach. Fails with `invalid_argument` for an unknown machine or a negative share.
[[nodiscard]] Result<platform::MachineDescription> machine_with_deviation(std::string_view name, double share,
                                                                          GpuLinks links);

/// A machine that comes with Troupe, where products of super-blocks reach `share` of the GPU's peak instead of what it
/// assumes (`assumptions.gpu_streamed_gemm_share_of_peak`). `invalid_argument` where it assumes no such share, or the
/// share is not above 0 and at most 1.
[[nodiscard]] Result<platform::MachineDescription> machine_with_streamed_share(std::string_view name, double share);

}  // namespace troupe::apps
