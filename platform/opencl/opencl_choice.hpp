/// Chooses the OpenCL devices that a program wants to use.
#pragma once

#include <string_view>
#include <vector>

#include "platform/opencl/opencl_devices.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

/// Returns the devices that `text` names: "all", "gpu" or "cpu" (all devices of that sort), or different numbers with
/// commas between them, such as "0,2". The devices are in the order of `there`, or in the order of the numbers in the
/// text. Fails with `invalid_argument` if the text is none of these, or if there is no such device; the message lists
/// the existing devices. Pure.
[[nodiscard]] Result<std::vector<OpenClDevice>> choose_opencl_devices(std::string_view text,
                                                                      const OpenClDevices& there);

}  // namespace troupe::platform
