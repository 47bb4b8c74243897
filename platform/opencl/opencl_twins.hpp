/// Devices of one driver that are the same.
#pragma once

#include <string>

struct _cl_device_id;

namespace troupe::platform {

/// An option for programs that are built for the device, with a blank before it: none but for devices that come after
/// an equal one of their driver. It makes the driver keep what it compiles for each on its own. pocl 3.1 counts who
/// uses its compiled kernels, and counts wrongly where two devices run one of them at the same time with different
/// offsets or sizes: it aborts, or unloads what runs.
[[nodiscard]] std::string opencl_twin_option(const _cl_device_id* device);

}  // namespace troupe::platform
