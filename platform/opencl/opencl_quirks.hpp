/// Workarounds for drivers that do not keep their promises.
#pragma once

#include <semaphore>
#include <string>

#include "platform/opencl/opencl_devices.hpp"

namespace troupe::platform {

// pocl (found with 3.1) counts the users of compiled code, and counts wrongly if a kernel is launched with other
// offsets or sizes while it runs: then it aborts, or unloads the running code.

/// Returns a semaphore for a device that must not be given a launch while another one runs on it. The thread that
/// launches acquires it, and the thread that sees the launch's end, which may be another thread, releases it. All
/// runtimes of the process share it, until the process ends. Null if the driver takes any number of launches.
[[nodiscard]] std::binary_semaphore* opencl_launch_turn(const OpenClDevice& device);

/// Returns an option for programs that are built for the device, with a blank before it. It is empty, except for a
/// device that comes after an equal one of the same driver: there it makes the driver keep the compiled code of the two
/// apart.
[[nodiscard]] std::string opencl_twin_option(const _cl_device_id* device);
/// Does the same, but compares the device with those in `all`.
[[nodiscard]] std::string opencl_twin_option(const _cl_device_id* device, const OpenClDevices& all);

}  // namespace troupe::platform
