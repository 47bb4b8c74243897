/// The entries that launch kernels.
#include <algorithm>
#include <utility>

#include "opencl/entries/enqueue.hpp"
#include "opencl/entries/entries.hpp"
#include "opencl/entries/guard.hpp"
#include "opencl/execution/buffer_commands.hpp"
#include "opencl/execution/kernel_command.hpp"
#include "opencl/execution/launch_check.hpp"

namespace troupe::opencl {

namespace {

NdRange range_of(cl_uint dimensions, const std::size_t* offset, const std::size_t* global, const std::size_t* local) {
  NdRange range;
  require(dimensions >= 1 && dimensions <= 3, CL_INVALID_WORK_DIMENSION);
  require(global != nullptr, CL_INVALID_GLOBAL_WORK_SIZE);
  range.dimensions = dimensions;
  range.has_local = local != nullptr;
  for (cl_uint d = 0; d < dimensions; ++d) {
    require(global[d] != 0, CL_INVALID_GLOBAL_WORK_SIZE);
    range.global[d] = global[d];
    if (local != nullptr) range.local[d] = local[d];
    if (offset == nullptr) continue;
    range.offset[d] = offset[d];
    require(offset[d] <= SIZE_MAX - global[d], CL_INVALID_GLOBAL_OFFSET);
  }
  return range;
}

/// Returns the queue's devices on which the launch is possible. If there is none, refuses with the error of the first
/// device.
std::vector<RealDevice*> devices_for(const Queue& queue, const Kernel& kernel, const NdRange& range) {
  std::vector<RealDevice*> devices;
  cl_int refusal = CL_SUCCESS;
  for (RealDevice* device : queue.real_devices()) {
    const cl_int status = launch_status(kernel, *device, range);
    if (status == CL_OUT_OF_RESOURCES) report_local_memory(kernel, *device);
    if (status == CL_SUCCESS) {
      devices.push_back(device);
    } else if (refusal == CL_SUCCESS) {
      refusal = status;
    }
  }
  require(!devices.empty(), refusal);
  return devices;
}

void launch(cl_command_queue queue, cl_kernel kernel, const NdRange* range, cl_uint dimensions,
            const std::size_t* offset, const std::size_t* global, const std::size_t* local, cl_command_type type,
            const WaitList& list) {
  Queue& on = need<Queue>(queue);
  Kernel& what = need<Kernel>(kernel);
  require(&what.context() == &on.context(), CL_INVALID_CONTEXT);
  require(what.all_arguments_set(), CL_INVALID_KERNEL_ARGS);
  const NdRange over = range != nullptr ? *range : range_of(dimensions, offset, global, local);
  const std::vector<RealDevice*> devices = devices_for(on, what, over);
  const std::shared_ptr<const KernelArguments> arguments = what.arguments();
  for (const KernelArgument& argument : arguments->list) {
    if (argument.memory) require_aligned(on, *argument.memory);
  }
  std::vector<Awaited> awaited = awaited_of(on.context(), list);
  enqueue(on, type, kernel_command(on, std::make_shared<EventState>(), what, arguments, over, devices),
          std::move(awaited), list);
}

/// The kernel whose division function is running in this thread; null if there is none. If the function launches this
/// kernel, the launch is not divided again.
thread_local const Kernel* divided = nullptr;

class DividedScope {
 public:
  explicit DividedScope(const Kernel& kernel) : before_(std::exchange(divided, &kernel)) {}
  ~DividedScope() { divided = before_; }
  DividedScope(const DividedScope&) = delete;
  DividedScope& operator=(const DividedScope&) = delete;

 private:
  const Kernel* before_;
};

Ref<Event> enqueue_marker_event(Queue& queue, cl_command_type type, const WaitList& list) {
  cl_event event = nullptr;
  enqueue(queue, type, marker_command(queue, std::make_shared<EventState>()), awaited_of(queue.context(), list),
          {list.count, list.events, &event});
  Ref<Event> made(&need<Event>(event));
  made->release();
  return made;
}

/// Lets the program's division function split the launch. Refuses with the error that the function returns.
void launch_divided(Queue& queue, Kernel& kernel, const Division::Choice& how, const WaitList& list) {
  require(&kernel.context() == &queue.context(), CL_INVALID_CONTEXT);
  const Ref<Event> before = enqueue_marker_event(queue, CL_COMMAND_MARKER, list);
  cl_event given = nullptr;
  {
    const DividedScope scope(kernel);
    accept(how.function(queue.handle(), how.factor, how.data, before->handle(), &given));
  }
  Event& after = need<Event>(given);
  after.state().when(CL_COMPLETE, [division = kernel.division(), factor = how.factor, begin = before->shared_state(),
                                   end = after.shared_state()](int status) {
    if (status != CL_COMPLETE) return;
    division->took(factor, static_cast<double>(end->times().ended - begin->times().ended));
  });
  const Ref<Event> all = enqueue_marker_event(queue, CL_COMMAND_NDRANGE_KERNEL, {1, &given, nullptr});
  after.release();
  if (list.event == nullptr) return;
  all->retain();
  *list.event = all->handle();
}

}  // namespace

cl_int enqueue_nd_range_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const std::size_t* offset,
                               const std::size_t* global, const std::size_t* local, cl_uint count,
                               const cl_event* events, cl_event* event) {
  return guarded([&] {
    if (Kernel& what = need<Kernel>(kernel); divided != &what) {
      if (const Division::Choice how = what.division()->choose(); how.function != nullptr) {
        return launch_divided(need<Queue>(queue), what, how, {count, events, event});
      }
    }
    launch(queue, kernel, nullptr, dimensions, offset, global, local, CL_COMMAND_NDRANGE_KERNEL,
           {count, events, event});
  });
}

cl_int enqueue_task(cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event* events, cl_event* event) {
  return guarded([&] {
    NdRange one;
    one.has_local = true;
    launch(queue, kernel, &one, 1, nullptr, nullptr, nullptr, CL_COMMAND_TASK, {count, events, event});
  });
}

/// Always refuses, because no device reports that it can run native kernels (CL_DEVICE_EXECUTION_CAPABILITIES).
cl_int enqueue_native_kernel(cl_command_queue queue, void(CL_CALLBACK*)(void*), void*, std::size_t, cl_uint,
                             const cl_mem*, const void**, cl_uint, const cl_event*, cl_event*) {
  return guarded([&] {
    (void)need<Queue>(queue);
    throw Refusal(CL_INVALID_OPERATION);
  });
}

}  // namespace troupe::opencl
