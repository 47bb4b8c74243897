/// Loads OpenCL's drivers, and asks them for their devices.
#pragma once

#include "platform/opencl/opencl_devices.hpp"
#include "platform/opencl/opencl_search.hpp"

namespace troupe::platform {

/// Loads the drivers and lists their devices as `list_opencl_devices` does, but anew at each call. Drivers stay loaded.
/// If this is called in a thread that is loading a driver, for instance by a driver that looks for devices itself, it
/// returns nothing.
[[nodiscard]] OpenClDevices load_opencl_devices(const OpenClSearch& search);

/// Returns true if the calling thread is inside of `load_opencl_devices`.
[[nodiscard]] bool is_loading_opencl() noexcept;

}  // namespace troupe::platform
