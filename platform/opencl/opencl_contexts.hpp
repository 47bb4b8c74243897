/// The context of a device at its driver.
#pragma once

#include "platform/opencl/opencl_devices.hpp"
#include "proto/errors.hpp"

struct _cl_context;

namespace troupe::platform {

/// One per device and process, for all that build programs and keep data there. Made by the first call for the device,
/// in the calling thread, which may run on all cores meanwhile: drivers start threads then, which inherit its binding.
/// It is never given back, since drivers may be unloaded before static objects are destroyed. Fails with `platform`.
/// Any thread.
[[nodiscard]] Result<_cl_context*> opencl_context(const OpenClDevice& device);

}  // namespace troupe::platform
