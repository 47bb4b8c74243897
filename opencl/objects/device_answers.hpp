/// Answers to clGetDeviceInfo that do not come from one vendor.
#pragma once

#include "opencl/objects/device.hpp"

namespace troupe::opencl {

/// Answers what is the same for all devices, as this platform and not the vendor provides it. False: not among these.
[[nodiscard]] bool answer_for_all(cl_device_info what, const Info& answer);

/// Answers for several devices at once: sums, the least, what all have. False: not known.
[[nodiscard]] bool answer_merged(const std::vector<RealDevice*>& devices, cl_device_info what, const Info& answer);

/// Extensions that all the devices have.
[[nodiscard]] std::vector<std::string> common_extensions(const std::vector<RealDevice*>& devices);

}  // namespace troupe::opencl
