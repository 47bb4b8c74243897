/// A CUDA GPU as a worker's device.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/device.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "proto/errors.hpp"

namespace troupe::workers {

struct CudaDeviceOptions {
  /// `kind` must be `cuda`, and `find_replica` set: kernels see the GPU's memory.
  CoreDevice::Options executor;
  /// The GPU and its memory. Outlives the device.
  platform::CudaAccelerator* accelerator = nullptr;
  /// Streams: tasks that are on the GPU at a time.
  std::size_t slots = traits(DeviceKind::cuda).slots;
  /// Called in the worker's thread when the GPU turns out to be lost, once, before the first task fails for it. May be
  /// empty.
  std::function<void()> on_lost = nullptr;
};

/// Every task has a stream to itself, on which its kernel enqueues: when the stream has done all that, the task ends,
/// after its checks (graph/codelets/completion_check.hpp). The worker polls for that.
///
/// Times are measured on the streams. Kernels that share the GPU slow each other down: at any moment, each of those
/// that have begun and not ended is charged its part of the time, and that is how long its task took for the listener.
/// The parts of all add up to the time in which the GPU was busy. A trace shows tasks from begin to end.
///
/// What a kernel throws is its task's failure, told when what it had enqueued has ended. A fault (an address that is
/// none, say) comes to light later, and CUDA does not say whose it was: all tasks on the GPU fail with `device_lost`,
/// the GPU does nothing any more, and tasks that are started on it fail at once.
///
/// Tasks that reduce fail with `invalid_argument`: partial results lie in host memory. Give codelets that reduce no
/// implementation for CUDA.
///
/// Fails where streams cannot be made, with `platform` where this Troupe was built without CUDA.
[[nodiscard]] Result<std::unique_ptr<Device>> make_cuda_device(CudaDeviceOptions options, DeviceListener& listener);

}  // namespace troupe::workers
