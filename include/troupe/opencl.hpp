/// OpenCL for codelets: programs, and the objects by which a kernel enqueues its work.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "troupe/ids.hpp"

// The types that cl_command_queue, cl_context, cl_device_id, cl_event and cl_mem of CL/cl.h point to.
struct _cl_command_queue;
struct _cl_context;
struct _cl_device_id;
struct _cl_event;
struct _cl_icd_dispatch;
struct _cl_mem;

namespace troupe {

/// The launch of one task; valid while its kernel runs. All handles here belong to the device's own driver, so call the
/// driver's functions by its table, never through libOpenCL: `launch.api().clEnqueueNDRangeKernel(launch.queue(), …)`.
class OpenClLaunch {
 public:
  /// The address of the data that the kernel gets, and the buffer that holds them.
  struct Buffer {
    const std::byte* address = nullptr;
    _cl_mem* buffer = nullptr;
  };
  struct Device {
    const _cl_icd_dispatch* api = nullptr;
    _cl_context* context = nullptr;
    _cl_device_id* id = nullptr;
  };

  /// Called by devices. `buffers` must outlive this object.
  OpenClLaunch(const Device& device, _cl_command_queue* queue, std::span<const Buffer> buffers, WorkerId worker)
      : device_(device), queue_(queue), buffers_(buffers), worker_(worker) {}
  OpenClLaunch(const OpenClLaunch&) = delete;
  OpenClLaunch& operator=(const OpenClLaunch&) = delete;

  /// Returns the queue, which is in order and profiled. The task ends after all that the kernel enqueues in it.
  [[nodiscard]] _cl_command_queue* queue() const { return queue_; }
  /// Returns the context, of this device alone. It lives as long as the process, as the whole process shares it.
  [[nodiscard]] _cl_context* context() const { return device_.context; }
  [[nodiscard]] _cl_device_id* device() const { return device_.id; }
  /// Returns the driver's functions (CL/cl_icd.h).
  [[nodiscard]] const _cl_icd_dispatch& api() const { return *device_.api; }
  /// Returns the worker that runs the task.
  [[nodiscard]] WorkerId worker() const { return worker_; }

  /// Returns the buffer of a view of the task's data, by the view's pointer; it begins where the data begin, and may be
  /// a little larger. Valid until the task has ended. Throws `Error` (`invalid_argument`) for any other address: pass a
  /// part of a view to the kernel by its offset. The pointer only names the data: if a device works on host memory,
  /// that memory belongs to the device as long as the task runs.
  [[nodiscard]] _cl_mem* buffer(const void* address) const;

  /// Makes the task end after this event, too, and fail if the event fails. Use it for work that the kernel enqueues on
  /// queues of its own, and to hear of a command's failure, which drivers need not pass on to later commands in a
  /// queue. Keeps the event until then. Throws `Error` (`kernel_failed`) if it is not an event.
  void wait_for(_cl_event* event);

  /// Called by devices: returns the events that `wait_for` was given, each to be given back once.
  [[nodiscard]] std::vector<_cl_event*>& awaited() { return awaited_; }

 private:
  const Device device_;
  _cl_command_queue* const queue_;
  const std::span<const Buffer> buffers_;
  const WorkerId worker_;
  std::vector<_cl_event*> awaited_;
};

}  // namespace troupe

struct _cl_kernel;

namespace troupe {

/// A program that is built once for each device, which may take a second, by the first task there that needs it. Copies
/// share one program. Several kernels may call all functions at the same time.
///
///     const OpenClProgram program("kernel void scale(global double* x, double a) { x[get_global_id(0)] *= a; }");
///     const Codelet scale = Codelet("scale", {AccessMode::read_write})
///                               .opencl([program](OpenClLaunch& launch, VectorView<double> x, double a) {
///                                 _cl_kernel* const kernel = program.kernel(launch, "scale");
///                                 …
///                               });
class OpenClProgram {
 public:
  /// Makes a program. `options` are options for the compiler, such as "-cl-fast-relaxed-math".
  explicit OpenClProgram(std::string source, std::string options = {});

  /// Returns the driver's kernel, for use by the running task only: its arguments stay set from one task to the next of
  /// the same queue. It lives as long as the program; do not release it. Throws `Error` (`kernel_failed`) with the
  /// compiler's message if the program cannot be built, and if it has no such kernel.
  [[nodiscard]] _cl_kernel* kernel(const OpenClLaunch& launch, const std::string& name) const;

 private:
  struct State;

  std::shared_ptr<State> state_;
};

}  // namespace troupe
