/// Loads OpenCL's drivers, and asks them for their devices.
#pragma once

#include "platform/opencl/opencl_devices.hpp"
#include "platform/opencl/opencl_search.hpp"

namespace troupe::platform {

/// What `list_opencl_devices` does, anew at each call. Drivers stay loaded. Whoever calls it while a driver is being
/// loaded in the same thread, as a driver does that looks for devices itself, is given nothing.
[[nodiscard]] OpenClDevices load_opencl_devices(const OpenClSearch& search);

/// Whether the calling thread is inside of `load_opencl_devices`.
[[nodiscard]] bool is_loading_opencl() noexcept;

}  // namespace troupe::platform
