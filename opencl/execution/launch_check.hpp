/// Checks whether a kernel can be launched on a device.
#pragma once

#include <CL/cl.h>

#include "opencl/execution/kernel_command.hpp"

namespace troupe::opencl {

/// Returns CL_SUCCESS, or the standard's error for a launch of this range with the kernel's arguments on this device:
/// CL_INVALID_PROGRAM_EXECUTABLE, CL_INVALID_WORK_GROUP_SIZE, CL_INVALID_WORK_ITEM_SIZE, or CL_OUT_OF_RESOURCES if a
/// group's local memory does not fit.
[[nodiscard]] cl_int launch_status(const Kernel& kernel, const RealDevice& device, const NdRange& range);

/// Reports on standard error that a group's local memory does not fit; once for each kernel name and device.
void report_local_memory(const Kernel& kernel, const RealDevice& device);

}  // namespace troupe::opencl
