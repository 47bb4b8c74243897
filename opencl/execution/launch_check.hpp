/// Whether a kernel can be launched on a device.
#pragma once

#include <CL/cl.h>

#include "opencl/execution/kernel_command.hpp"

namespace troupe::opencl {

/// CL_SUCCESS, or what the standard names for a launch of this range with the kernel's arguments on this device:
/// CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE, or CL_OUT_OF_RESOURCES where a
/// group's local memory does not fit.
[[nodiscard]] cl_int launch_status(const Kernel& kernel, const RealDevice& device, const NdRange& range);

/// The last of these, in words on standard error; once for a kernel's name and a device.
void report_local_memory(const Kernel& kernel, const RealDevice& device);

}  // namespace troupe::opencl
