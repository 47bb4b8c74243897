/// Which OpenCL devices are asked for.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "platform/opencl/opencl_devices.hpp"
#include "proto/errors.hpp"

namespace troupe::platform {

/// Of `there`, those that `asked` names: "all", "gpu", "cpu", or their numbers with a comma between, in that order. At
/// least one. Fails with `invalid_argument`; the message says what there is.
[[nodiscard]] Result<std::vector<const OpenClDevice*>> select_opencl_devices(std::string_view asked,
                                                                             const OpenClDevices& there);

}  // namespace troupe::platform
