/// Queries of properties of OpenCL's platforms and devices, through their driver's table.
#pragma once

#include <CL/cl_icd.h>

#include <string>

#include "platform/opencl/opencl_devices.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

/// Returns the driver's table of functions; null if there is none. Every object of a driver begins with a pointer to
/// this table.
[[nodiscard]] const _cl_icd_dispatch* dispatch_of(const void* object);

/// Returns a text of a platform, without blanks around it. `name` is the question's name, such as "CL_PLATFORM_NAME",
/// for the message. Fails with `platform`.
[[nodiscard]] Result<std::string> platform_text(cl_platform_id platform, cl_platform_info question, const char* name);

/// Fills in all members of `device` except its index and its platform. `device.api` and `device.id` are given. Returns
/// the reason why the device cannot be used; empty if it can.
[[nodiscard]] std::string describe_opencl_device(OpenClDevice& device);

}  // namespace troupe::platform
