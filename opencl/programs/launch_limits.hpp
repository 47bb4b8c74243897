/// The limits of a device for launches of a kernel.
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>

#include "opencl/programs/vendor_program.hpp"

namespace troupe::opencl {

struct LaunchLimits {
  /// The largest number of work-items in a group: `group` in total, `items` by dimension.
  std::size_t group = 0;
  std::array<std::size_t, 3> items{};
  /// The size of groups for which the kernel was compiled; zeros if any size is allowed.
  std::array<std::size_t, 3> required{};
  /// The device's local memory, in bytes.
  cl_ulong local_memory = 0;

  /// Asks for the limits; refuses with the vendor's code if the vendor does not answer.
  [[nodiscard]] static LaunchLimits of(const VendorKernel& kernel);
};

}  // namespace troupe::opencl
