/// The drivers' contexts: one for each device and process.
#pragma once

#include <memory>

#include "platform/opencl/opencl_devices.hpp"
#include "troupe/errors.hpp"

struct _cl_context;

namespace troupe::platform {

/// A context, which is given back to the driver when its last owner lets go of it.
using OpenClContext = std::shared_ptr<_cl_context>;

/// Returns the driver's context of this device alone. If nobody owns that context, it is made in a thread that may run
/// on all cores, as drivers start threads. All buffers, queues and programs in the process are made in it. Fails with
/// `platform`; the next call tries again. May be called from any thread.
[[nodiscard]] Result<OpenClContext> opencl_context(const OpenClDevice& device);

/// Keeps the contexts for ever from now on. Called when the process ends, as drivers may be gone before the last owner.
void keep_opencl_contexts();

}  // namespace troupe::platform
