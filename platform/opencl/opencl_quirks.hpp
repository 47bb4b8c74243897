/// Workarounds for drivers that break the rules of OpenCL.
#pragma once

#include <semaphore>
#include <string>

#include "platform/opencl/opencl_devices.hpp"

namespace troupe::platform {

// The driver pocl (seen in 3.1) counts the users of compiled code, but counts wrongly if a kernel is launched with
// other offsets or sizes while it runs: pocl then aborts, or unloads the running code.

/// Returns a semaphore for a device that can run only one launch at a time; null if the driver takes any number of
/// launches. The thread that launches acquires the semaphore. The thread that is notified of the launch's end, which
/// may be another thread, releases it. All runtimes of the process share the semaphore, until the process ends.
[[nodiscard]] std::binary_semaphore* opencl_launch_turn(const OpenClDevice& device);

/// Returns an option for programs that are built for the device, with a blank before it. The option is empty, unless an
/// earlier device of the same driver is equal to this device. In that case the option makes the driver keep the
/// compiled code of the two devices apart.
[[nodiscard]] std::string opencl_twin_option(const _cl_device_id* device);
/// Returns an option like the function above, but compares the device with the devices in `all`.
[[nodiscard]] std::string opencl_twin_option(const _cl_device_id* device, const OpenClDevices& all);

}  // namespace troupe::platform
