/// The drivers' contexts: one for each device and process.
#pragma once

#include <memory>

#include "platform/opencl/opencl_devices.hpp"
#include "proto/errors.hpp"

struct _cl_context;

namespace troupe::platform {

/// Given back to the driver when the last who has it lets go of it.
using OpenClContext = std::shared_ptr<_cl_context>;

/// The driver's context with this device alone; made where nobody has it, in a thread that may run on all cores, as
/// drivers start threads. Buffers, queues and programs of everybody in the process are made in it. Fails with
/// `platform`; the next call tries again. Any thread.
[[nodiscard]] Result<OpenClContext> opencl_context(const OpenClDevice& device);

/// From now on none is given back: the process ends, and drivers may be gone before the last who has one.
void keep_opencl_contexts();

}  // namespace troupe::platform
