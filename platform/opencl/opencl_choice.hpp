/// Chooses the OpenCL devices that a program wants.
#pragma once

#include <string_view>
#include <vector>

#include "platform/opencl/opencl_devices.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

/// Returns the devices that `text` names: "all", "gpu" or "cpu" (all of that sort), or numbers with commas between
/// them, "0,2", each once. They are in the order of `there`, or in the order of the numbers in the text. Fails with
/// `invalid_argument` if the text is none of these, or if there is no such device; the message says which devices there
/// are. Pure.
[[nodiscard]] Result<std::vector<OpenClDevice>> choose_opencl_devices(std::string_view text,
                                                                      const OpenClDevices& there);

}  // namespace troupe::platform
