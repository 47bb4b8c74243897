/// OpenCL for codelets: programs, and the objects by which a kernel enqueues its work.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "troupe/ids.hpp"

// The types that cl_command_queue, cl_context, cl_device_id, cl_event, cl_kernel and cl_mem of CL/cl.h point to.
// NOLINTBEGIN(bugprone-reserved-identifier): the names are those of the standard's headers.
struct _cl_command_queue;
struct _cl_context;
struct _cl_device_id;
struct _cl_event;
struct _cl_icd_dispatch;
struct _cl_kernel;
struct _cl_mem;
// NOLINTEND(bugprone-reserved-identifier)

namespace troupe {

/// The launch of one task; valid while its kernel runs. All handles here belong to the device's own driver, so call the
/// driver's functions through its table, never through libOpenCL: `launch.api().clEnqueueNDRangeKernel(launch.queue(),
/// …)`.
class OpenClLaunch {
 public:
  /// The address that the kernel gets for its data, and the buffer that contains the data.
  struct Buffer {
    const std::byte* address = nullptr;
    _cl_mem* buffer = nullptr;
  };
  struct Device {
    const _cl_icd_dispatch* api = nullptr;
    _cl_context* context = nullptr;
    _cl_device_id* id = nullptr;
  };

  /// Makes a launch; called by the runtime's devices. `buffers` must outlive this object.
  OpenClLaunch(const Device& device, _cl_command_queue* queue, std::span<const Buffer> buffers, WorkerId worker)
      : device_(device), queue_(queue), buffers_(buffers), worker_(worker) {}
  OpenClLaunch(const OpenClLaunch&) = delete;
  OpenClLaunch& operator=(const OpenClLaunch&) = delete;

  /// Returns the queue, which is in order and profiled. The task ends after all commands that the kernel enqueues in
  /// this queue.
  [[nodiscard]] _cl_command_queue* queue() const { return queue_; }
  /// Returns the context, which contains only this device. The whole process shares the context, so it lives as long as
  /// the process.
  [[nodiscard]] _cl_context* context() const { return device_.context; }
  [[nodiscard]] _cl_device_id* device() const { return device_.id; }
  /// Returns the driver's functions (CL/cl_icd.h).
  [[nodiscard]] const _cl_icd_dispatch& api() const { return *device_.api; }
  /// Returns the worker that runs the task.
  [[nodiscard]] WorkerId worker() const { return worker_; }

  /// Returns the buffer of a view of the task's data; `address` is the view's pointer. The buffer begins where the data
  /// begin, and may be a little larger than the data. It is valid until the task has ended. Throws `Error`
  /// (`invalid_argument`) for any other address: to use only some elements of a view, pass their offset to the kernel.
  /// The pointer only serves as a name of the data: if a device works on host memory, that memory belongs to the device
  /// as long as the task runs.
  [[nodiscard]] _cl_mem* buffer(const void* address) const;

  /// Makes the task end after this event, too, and fail if the event fails. Use this function for work that the kernel
  /// enqueues on queues of its own, and to detect the failure of a command, because drivers need not report that
  /// failure for later commands in the queue. Retains the event until the task has ended. Throws `Error`
  /// (`kernel_failed`) if `event` is not a valid event.
  void wait_for(_cl_event* event);

  /// Returns the events that were passed to `wait_for`. The caller, which is a device of the runtime, must release each
  /// event once.
  [[nodiscard]] std::vector<_cl_event*>& awaited() { return awaited_; }

 private:
  const Device device_;
  _cl_command_queue* const queue_;
  const std::span<const Buffer> buffers_;
  const WorkerId worker_;
  std::vector<_cl_event*> awaited_;
};

/// An OpenCL program. The program is built for a device when the first task on that device needs it, which may take a
/// second. Copies of this object share one program. Several kernels may call its functions at the same time.
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

  /// Returns the driver's kernel. Only the running task may use the kernel, and must set all its arguments: they still
  /// have the values that the last task on the same queue has set. The kernel lives as long as the program; do not
  /// release it. Throws `Error` (`kernel_failed`): with the compiler's message if the program cannot be built, and if
  /// it has no kernel `name`.
  [[nodiscard]] _cl_kernel* kernel(const OpenClLaunch& launch, const std::string& name) const;

 private:
  struct State;

  std::shared_ptr<State> state_;
};

}  // namespace troupe
