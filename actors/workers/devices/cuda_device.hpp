/// A CUDA GPU as a worker's device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/device.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"

namespace troupe::workers {

struct CudaDeviceOptions {
  /// `kind` must be `cuda`, and `find_replica` set: kernels see the GPU's memory.
  CoreDevice::Options executor;
  /// The GPU with its memory. Outlives the device.
  platform::CudaAccelerator* accelerator = nullptr;
  /// The number of streams, and so of tasks that run on the GPU at the same time.
  std::size_t slots = traits(DeviceKind::cuda).queue.slots;
  /// Called once in the worker's thread when the GPU turns out to be lost, before the first task fails because of the
  /// loss. May be empty.
  std::function<void()> on_lost = nullptr;
};

/// A task's kernel enqueues its work on one stream, which the task may share with others. When the stream has come to
/// the task's end, the task ends, after its checks (graph/codelets/completion_check.hpp). The worker polls the device
/// to notice this.
///
/// Times are measured on the streams. Kernels that share the GPU slow each other down. So at any moment, the time is
/// charged in equal amounts to all kernels that have begun and not ended. The charged time of a task is reported to the
/// listener. All charged times add up to the time in which the GPU was busy. A trace shows each task from its begin to
/// its end.
///
/// If a kernel throws, its task fails. The failure is reported when the work that the kernel had enqueued has ended.
/// A fault (an invalid address, for example) is found later, and CUDA does not say which task caused it: all tasks on
/// the GPU fail with `device_lost`, the GPU is not used any more, and tasks that are started on it fail at once.
///
/// Tasks that reduce fail with `invalid_argument`: partial results lie in host memory. So codelets that reduce should
/// have no implementation for CUDA.
///
/// Fails if streams cannot be made, and with `platform` if this Troupe was built without CUDA.
[[nodiscard]] Result<std::unique_ptr<Device>> make_cuda_device(CudaDeviceOptions options, DeviceListener& listener);

}  // namespace troupe::workers
