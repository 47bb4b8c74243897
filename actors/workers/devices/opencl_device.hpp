/// An OpenCL device as a worker's device.
#pragma once

#include <functional>
#include <memory>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/device.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "proto/errors.hpp"

namespace troupe::workers {

struct OpenClDeviceOptions {
  /// `kind` must be `opencl`, and `find_replica` set: kernels see the device's buffers.
  CoreDevice::Options executor;
  /// An `OpenClAccelerator`. Outlives the device.
  platform::Accelerator* accelerator = nullptr;
};

/// All tasks enqueue on one queue in order, so that a task's time is that between two markers. A task ends when the
/// marker behind it has: drivers that run commands inside of the calls end it inside of `start`, others say so in a
/// thread of theirs.
///
/// What a kernel throws is its task's failure, told when what it had enqueued has ended. A command that fails on the
/// device fails the task.
///
/// Fails with `platform` where no queue can be made.
[[nodiscard]] Result<std::unique_ptr<Device>> make_opencl_device(OpenClDeviceOptions options, DeviceListener& listener);

}  // namespace troupe::workers
