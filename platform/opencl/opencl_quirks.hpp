/// What has to be done for drivers that do not keep their promises.
#pragma once

#include <semaphore>
#include <string>

#include "platform/opencl/opencl_devices.hpp"

namespace troupe::platform {

// pocl (found with 3.1) counts the users of what it has compiled, and counts wrongly where a kernel is launched with
// other offsets or sizes while it runs: then it aborts, or unloads what runs.

/// Of a device that must not be given a launch while another one runs on it: whoever launches acquires it, and whoever
/// sees the launch's end releases it, in whatever thread. One for all runtimes of the process, to its end; null where
/// the driver takes any number of launches.
[[nodiscard]] std::binary_semaphore* opencl_launch_turn(const OpenClDevice& device);

/// An option for programs that are built for the device, with a blank before it: none but for devices that come after
/// an equal one of their driver. It makes the driver keep what it compiles for each on its own.
[[nodiscard]] std::string opencl_twin_option(const _cl_device_id* device);
/// The same among `all`.
[[nodiscard]] std::string opencl_twin_option(const _cl_device_id* device, const OpenClDevices& all);

}  // namespace troupe::platform
