/// An OpenCL device as a worker's device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <semaphore>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/device.hpp"
#include "platform/opencl/opencl_task_data.hpp"
#include "proto/errors.hpp"

namespace troupe::workers {

struct OpenClDeviceOptions {
  /// `kind` must be one of OpenCL devices. `find_replica`: where kernels see data; of a device that works in place it
  /// is not used: they see them in host memory.
  CoreDevice::Options executor;
  /// The device and its data. Outlives this.
  platform::OpenClTaskData* data = nullptr;
  /// Called once, in the worker's thread, when the device has stopped working.
  std::function<void()> on_lost = nullptr;
  /// Queues: tasks that are on the device at a time.
  std::size_t slots = traits(DeviceKind::opencl).slots;
  /// Acquired before a kernel is called and released when its task has ended, in whatever thread; null: nobody else's
  /// launches matter. With one, the device is given one task at a time.
  std::binary_semaphore* turn = nullptr;
};

/// Every task has an in-order queue to itself, or shares that which the data ask for. Its kernel enqueues on it
/// (graph/codelets/opencl_launch.hpp): when the queue has done all that, and the data are back, the task ends, after
/// its checks. The driver tells so, in a thread of its own; some run kernels inside the call that enqueues them: then
/// the task has ended when `start` returns.
///
/// Times are the driver's, from profiling. Kernels that share the device slow each other down: at any moment, those
/// that have begun and not ended are charged an equal part of the time each.
///
/// What a kernel throws is its task's failure, told when what it had enqueued has ended. So is a command that failed,
/// as far as the driver tells: it need not tell of others than those that `OpenClLaunch::wait_for` names. Tasks that
/// reduce fail with `invalid_argument`.
///
/// OpenCL does not say that a device has stopped working. So it is taken for lost when something that the device
/// itself enqueues has failed and then its queue cannot be finished: its tasks fail with `device_lost`, and others get
/// the next ones. A driver that never tells of an end keeps the task for ever.
///
/// A device that works in place and has no buffer for some data, for their size, runs what the codelet has for cores,
/// in its worker's thread: memory management, which keeps other devices from such tasks, takes no part there.
///
/// Fails where queues cannot be made, with `platform`.
[[nodiscard]] Result<std::unique_ptr<Device>> make_opencl_device(OpenClDeviceOptions options, DeviceListener& listener);

}  // namespace troupe::workers
