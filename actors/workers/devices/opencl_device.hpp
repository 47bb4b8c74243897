/// An OpenCL device as a worker's device.
#pragma once

#include <cstddef>
#include <memory>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/device.hpp"
#include "platform/opencl/opencl_accelerator.hpp"
#include "proto/errors.hpp"

namespace troupe::workers {

struct OpenClDeviceOptions {
  /// `kind` must be `opencl`, and `find_replica` set: kernels see the device's memory.
  CoreDevice::Options executor;
  /// The device and its memory. Outlives this.
  platform::OpenClAccelerator* accelerator = nullptr;
  /// Queues: tasks that are on the device at a time.
  std::size_t slots = traits(DeviceKind::opencl).slots;
};

/// Every task has an in-order queue to itself, on which its kernel enqueues (graph/codelets/opencl_launch.hpp): when
/// the queue has done all that, the task ends, after its checks. The driver tells so, in a thread of its own; some run
/// kernels inside the call that enqueues them: then the task has ended when `start` returns.
///
/// Times are the driver's, from profiling. Kernels that share the device slow each other down: at any moment, those
/// that have begun and not ended are charged an equal part of the time each.
///
/// What a kernel throws is its task's failure, told when what it had enqueued has ended. So is a command that failed,
/// as far as the driver tells: it need not tell of others than those that `OpenClLaunch::wait_for` names. Tasks that
/// reduce fail with `invalid_argument`.
///
/// Fails where queues cannot be made, with `platform`.
[[nodiscard]] Result<std::unique_ptr<Device>> make_opencl_device(OpenClDeviceOptions options, DeviceListener& listener);

}  // namespace troupe::workers
