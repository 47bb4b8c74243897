/// Answers to clGetDeviceInfo that do not come from one vendor.
#pragma once

#include "opencl/objects/device.hpp"

namespace troupe::opencl {

/// Answers a question whose answer is the same for all devices, because this platform and not the vendor provides the
/// feature. Returns false for all other questions.
[[nodiscard]] bool answer_for_all(cl_device_info what, const Info& answer);

/// Answers a question for several devices at once: with a sum, with the least value, or with the features that all
/// devices have. Returns false if the question is unknown.
[[nodiscard]] bool answer_merged(const std::vector<RealDevice*>& devices, cl_device_info what, const Info& answer);

/// Returns the extensions that all the devices have.
[[nodiscard]] std::vector<std::string> common_extensions(const std::vector<RealDevice*>& devices);

}  // namespace troupe::opencl
