/// Returns described machines with changed assumptions.
#pragma once

#include <string_view>

#include "troupe/errors.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

/// Returns the machine `name`, which comes with Troupe, with other assumptions about its GPUs. GPU times of kernels
/// that the file only assumes (`"time_origin": "assumed"`) are divided by `factor`, together with their deviations.
/// Times on cores and all measured times stay unchanged. Fails with `invalid_argument` for an unknown machine or a
/// factor that is not positive.
[[nodiscard]] Result<platform::MachineDescription> machine_with_assumptions(std::string_view name, double factor);

/// The links from GPUs to host memory: the links in the machine's file, or a separate link for each GPU.
enum class GpuLinks { as_described, one_each };

/// Returns the machine `name`, which comes with Troupe, with additions to its file. Kernel times without a deviation
/// get a deviation of `fraction` times the mean. GPUs get the requested links, each with the bandwidth of copies
/// between the GPU and the host. Fails with `invalid_argument` for an unknown machine or a negative fraction.
[[nodiscard]] Result<platform::MachineDescription> machine_with_deviation(std::string_view name, double fraction,
                                                                          GpuLinks links);

/// Returns a machine that comes with Troupe, with another assumption: products of super-blocks reach `fraction` of the
/// GPU's peak, instead of the fraction in the file (`assumptions.gpu_streamed_gemm_share_of_peak`). Fails with
/// `invalid_argument` if the file has no such assumption, or if the fraction is not above 0 and at most 1.
[[nodiscard]] Result<platform::MachineDescription> machine_with_streamed_fraction(std::string_view name,
                                                                                  double fraction);

}  // namespace troupe::apps
