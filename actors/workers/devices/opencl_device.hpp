/// An OpenCL device as a worker's device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <semaphore>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/device.hpp"
#include "platform/opencl/opencl_task_data.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"

namespace troupe::workers {

struct OpenClDeviceOptions {
  /// `kind` must be one of the kinds of OpenCL devices. `find_replica`: finds the data for kernels; not used by a
  /// device that works in place, where kernels see the data in host memory.
  CoreDevice::Options executor;
  /// The device and its data. Outlives this.
  platform::OpenClTaskData* data = nullptr;
  /// Called once, in the worker's thread, when the device has stopped working.
  std::function<void()> on_lost = nullptr;
  /// The number of queues, and so of tasks that are on the device at a time.
  std::size_t slots = traits(DeviceKind::opencl).queue.slots;
  /// Acquired before a kernel is called and released when its task has ended, in any thread. Null: launches of others
  /// do not matter. With a semaphore, the device is given one task at a time.
  std::binary_semaphore* turn = nullptr;
};

/// Every task has an in-order queue to itself, or shares the one queue that the data ask for. Its kernel enqueues on it
/// (troupe/opencl.hpp). When the queue has done all that, and the data are back, the task ends, after
/// its checks. The driver tells of the end in a thread of its own. Some drivers run kernels inside the call that
/// enqueues them: then the task has ended when `start` returns.
///
/// Times are the driver's, from profiling. Kernels that share the device slow each other down: at any moment, those
/// that have begun and not ended are charged an equal part of the time each.
///
/// An exception of a kernel is its task's failure. It is told when the work that the kernel had enqueued has ended. A
/// command that failed is the task's failure, too, as far as the driver tells: it need not tell of commands other than
/// those that `OpenClLaunch::wait_for` names. Tasks that reduce fail with `invalid_argument`.
///
/// OpenCL does not say that a device has stopped working. So it is taken for lost when a command that the device itself
/// enqueues has failed and then its queue cannot be finished: its tasks fail with `device_lost`, and others get the
/// next ones. If a driver never tells of an end, the task never ends.
///
/// A device that works in place may have no buffer for some data, because of their size. It then runs the codelet's
/// implementation for cores, in its worker's thread. Memory management keeps other devices from such tasks, but takes
/// no part there.
///
/// Fails with `platform` if queues cannot be made.
[[nodiscard]] Result<std::unique_ptr<Device>> make_opencl_device(OpenClDeviceOptions options, DeviceListener& listener);

}  // namespace troupe::workers
