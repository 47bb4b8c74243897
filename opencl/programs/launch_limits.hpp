/// What a launch of a kernel may ask of a device.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>

#include "opencl/programs/vendor_program.hpp"

namespace troupe::opencl {

struct LaunchLimits {
  /// Work-items of a group, in all and by dimension.
  std::size_t group = 0;
  std::array<std::size_t, 3> items{};
  /// The group's size that the kernel was compiled for; zeros: any.
  std::array<std::size_t, 3> required{};
  /// The device's local memory, in bytes.
  cl_ulong local_memory = 0;

  /// Refuses with the vendor's code where it does not say.
  [[nodiscard]] static LaunchLimits of(const VendorKernel& kernel);
};

}  // namespace troupe::opencl
