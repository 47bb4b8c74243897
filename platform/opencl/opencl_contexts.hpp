/// The drivers' contexts: one for each device and process.
#pragma once

#include <memory>

#include "platform/opencl/opencl_devices.hpp"
#include "troupe/errors.hpp"

struct _cl_context;

namespace troupe::platform {

/// A context. It is released when its last owner is destroyed.
using OpenClContext = std::shared_ptr<_cl_context>;

/// Returns the driver's context of this device alone. If no owner exists, a new context is made by a thread that may
/// run on all cores, because drivers start threads that inherit the binding. All buffers, queues and programs of this
/// device in the process belong to this context. Fails with `platform`; the next call tries again. May be called from
/// any thread.
[[nodiscard]] Result<OpenClContext> opencl_context(const OpenClDevice& device);

/// Keeps all contexts for ever from now on. Called when the process ends, because drivers may be unloaded before the
/// last owner of a context is destroyed.
void keep_opencl_contexts();

}  // namespace troupe::platform
