/// The drivers' contexts: one for each device and process.
#pragma once

#include <memory>

#include "platform/opencl/opencl_devices.hpp"
#include "troupe/errors.hpp"

struct _cl_context;

namespace troupe::platform {

/// A context; given back to the driver when its last owner lets go of it.
using OpenClContext = std::shared_ptr<_cl_context>;

/// Returns the driver's context with this device alone. Where no owner has one, it is made in a thread that may run on
/// all cores, as drivers start threads. All buffers, queues and programs in the process are made in it. Fails with
/// `platform`; the next call tries again. Any thread.
[[nodiscard]] Result<OpenClContext> opencl_context(const OpenClDevice& device);

/// Makes the contexts stay for ever from now on: the process ends, and drivers may be gone before the last owner.
void keep_opencl_contexts();

}  // namespace troupe::platform
