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
  /// `kind` must be one of the kinds of OpenCL devices. `find_replica` finds the data for kernels. A device that works
  /// in place does not use `find_replica`, because its kernels see the data in host memory.
  CoreDevice::Options executor;
  /// The device and its data. Outlives the worker's device.
  platform::OpenClTaskData* data = nullptr;
  /// Called once, in the worker's thread, when the device has stopped working.
  std::function<void()> on_lost = nullptr;
  /// The number of queues, and so of tasks that are on the device at the same time.
  std::size_t slots = traits(DeviceKind::opencl).queue.slots;
  /// Gives the device one task at a time: acquired before a kernel is called, and released, in any thread, when the
  /// kernel's task has ended. Null if several tasks may be launched at a time.
  std::binary_semaphore* turn = nullptr;
};

/// Every task has an in-order queue to itself, or all tasks share the only queue of the data (`only_queue`). The task's
/// kernel enqueues its work on the queue (troupe/opencl.hpp). When the queue has done that work, and the data are back
/// in their places, the task ends, after its checks. The driver reports the end in a thread of its own. Some drivers
/// run kernels inside the call that enqueues them: then the task has ended when `start` returns.
///
/// Times are the driver's, from profiling. Kernels that share the device slow each other down. So at any moment, the
/// time is charged in equal amounts to all kernels that have begun and not ended.
///
/// If a kernel throws, its task fails. The failure is reported when the work that the kernel had enqueued has ended. A
/// task also fails if one of its commands fails and the driver reports this: a driver need only report the commands
/// that `OpenClLaunch::wait_for` names. Tasks that reduce fail with `invalid_argument`.
///
/// OpenCL does not report that a device has stopped working. So a device counts as lost when a command that this class
/// itself enqueues has failed and the queue can then not be finished. Its tasks then fail with `device_lost`, and later
/// tasks go to other workers. If a driver never reports an end, the task never ends.
///
/// A device that works in place may have no buffer for some data, because of their size. Then the codelet's
/// implementation for cores runs in the worker's thread. On devices with memory of their own, the memory manager
/// prevents this, but the memory manager does not manage devices that work in place.
///
/// Fails with `platform` if queues cannot be made.
[[nodiscard]] Result<std::unique_ptr<Device>> make_opencl_device(OpenClDeviceOptions options, DeviceListener& listener);

}  // namespace troupe::workers
