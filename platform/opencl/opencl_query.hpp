/// Questions to OpenCL's platforms and devices, by their driver's table.
#pragma once

#include <CL/cl_icd.h>

#include <string>

#include "platform/opencl/opencl_devices.hpp"
#include "proto/errors.hpp"

namespace troupe::platform {

/// The table that an object of a driver begins with; null where it has none.
[[nodiscard]] const _cl_icd_dispatch* dispatch_of(const void* object);

/// A text that a platform has, without blanks around it. `name` is the question's, "CL_PLATFORM_NAME", for the
/// message. Fails with `platform`.
[[nodiscard]] Result<std::string> platform_text(cl_platform_id platform, cl_platform_info question, const char* name);

/// Why a device cannot be used; empty where it can. Fills in what it is: all of `device` but its index and its
/// platform. `device.api` and `device.id` are given.
[[nodiscard]] std::string describe_opencl_device(OpenClDevice& device);

}  // namespace troupe::platform
