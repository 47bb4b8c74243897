/// The drivers' contexts: one for each device and process.
#pragma once

#include "platform/opencl/opencl_devices.hpp"
#include "proto/errors.hpp"

struct _cl_context;

namespace troupe::platform {

/// The driver's context with this device alone; made at the first call, in a thread that may run on all cores, as
/// drivers start threads. It stays until the process ends: buffers, queues and programs of everybody in the process are
/// made in it. Fails with `platform`; the next call tries again. Any thread.
[[nodiscard]] Result<_cl_context*> opencl_context(const OpenClDevice& device);

}  // namespace troupe::platform
