/// Loads OpenCL's drivers, and asks them for their devices.
#pragma once

#include "platform/opencl/opencl_devices.hpp"
#include "platform/opencl/opencl_search.hpp"

namespace troupe::platform {

/// Loads the drivers and lists their devices as `list_opencl_devices` does, but anew at each call. Drivers stay loaded.
/// Returns no devices if the calling thread is loading a driver, which happens if that driver itself looks for devices.
[[nodiscard]] OpenClDevices load_opencl_devices(const OpenClSearch& search);

/// Returns true if the calling thread is inside of `load_opencl_devices`.
[[nodiscard]] bool is_loading_opencl() noexcept;

}  // namespace troupe::platform
