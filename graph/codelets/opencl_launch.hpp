/// What a kernel on an OpenCL device works with.
#pragma once

#include "proto/ids.hpp"

// What OpenCL's handles point to, and the table of functions that a driver's handles begin with.
struct _cl_icd_dispatch;
struct _cl_context;
struct _cl_device_id;
struct _cl_command_queue;
struct _cl_mem;

namespace troupe {

/// The driver's own handles for one task on one device. They are used through the driver's table of functions,
/// `launch.api().clEnqueueNDRangeKernel(launch.queue(), …)`, since a program that links OpenCL's loader need not be
/// there. Valid during the kernel's call only.
class OpenClLaunch {
 public:
  struct Handles {
    const _cl_icd_dispatch* api = nullptr;
    _cl_context* context = nullptr;
    _cl_device_id* device = nullptr;
    _cl_command_queue* queue = nullptr;
  };
  /// Finds the buffer at an address of `memory`; null where there is none.
  using FindBuffer = _cl_mem* (*)(void* memory, const void* address);

  OpenClLaunch(const Handles& handles, WorkerId worker, void* memory, FindBuffer find)
      : handles_(handles), worker_(worker), memory_(memory), find_(find) {}

  [[nodiscard]] const _cl_icd_dispatch& api() const { return *handles_.api; }
  [[nodiscard]] _cl_context* context() const { return handles_.context; }
  [[nodiscard]] _cl_device_id* device() const { return handles_.device; }
  /// In order; the task ends when all that was enqueued has. Never waited for by the kernel.
  [[nodiscard]] _cl_command_queue* queue() const { return handles_.queue; }
  /// The buffer of a piece of the task's data, by the address of its view: the data begin where the buffer does. Throws
  /// `Error` (`invalid_argument`) for another address.
  [[nodiscard]] _cl_mem* buffer(const void* address) const;
  /// Kernels on one device run in its worker's thread: who keeps something per worker needs no lock.
  [[nodiscard]] WorkerId worker() const { return worker_; }

 private:
  Handles handles_;
  WorkerId worker_;
  void* memory_;
  FindBuffer find_;
};

}  // namespace troupe
