#include "actors/workers/devices/opencl_device.hpp"

#include <CL/cl_icd.h>

#include <algorithm>
#include <condition_variable>
#include <string>
#include <utility>

#include "actors/workers/devices/task_failure.hpp"
#include "graph/codelets/codelet.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/codelets/opencl_launch.hpp"
#include "platform/opencl/opencl_accelerator.hpp"
#include "platform/opencl/opencl_error.hpp"
#include "platform/opencl/opencl_unbound.hpp"
#include "proto/mutex.hpp"

namespace troupe::workers {

namespace {

using graph::FailureLog;

class OpenClDevice final : public Device {
 public:
  OpenClDevice(OpenClDeviceOptions options, cl_command_queue queue, DeviceListener& listener)
      : options_(std::move(options)),
        accelerator_(static_cast<platform::OpenClAccelerator&>(*options_.accelerator)),
        api_(*accelerator_.device().api),
        queue_(queue),
        listener_(listener),
        views_(options_.executor.worker, options_.executor.find_replica) {}
  ~OpenClDevice() override;

  [[nodiscard]] std::string name() const override { return options_.executor.name; }
  Started start(graph::Task& task, std::span<graph::Task* const> behind) noexcept override;

 private:
  /// A task that has been enqueued.
  struct Enqueued {
    OpenClDevice* device = nullptr;
    graph::Task* task = nullptr;
    cl_event begin = nullptr;
    cl_event end = nullptr;
    /// The kernel has thrown.
    FailureLog::Cause cause;
  };

  [[nodiscard]] Result<void> provide_data(const graph::Task& task);
  /// Calls the kernel between two markers; why it cannot run, or null.
  FailureLog::Cause enqueue(Enqueued& enqueued);
  FailureLog::Cause call_kernel(const graph::Task& task);
  [[nodiscard]] Result<void> marker(cl_event& event);
  static void CL_CALLBACK ended(cl_event event, cl_int status, void* enqueued);
  void end(std::unique_ptr<Enqueued> enqueued, cl_int status) noexcept;
  /// The time between the markers, if the driver says it, else negative. Of one that began before the last one ended,
  /// from that on.
  Duration time_of(const Enqueued& enqueued);
  void release(const Enqueued& enqueued);
  [[nodiscard]] FailureLog::Cause failure(const graph::Task& task, const Failure& why) const noexcept;
  [[nodiscard]] Result<void> check(cl_int status, const char* what) const {
    if (status == CL_SUCCESS) return {};
    return Failure{ErrorCode::kernel_failed, std::string(what) + " failed: " + platform::opencl_error(status)};
  }

  const OpenClDeviceOptions options_;
  platform::OpenClAccelerator& accelerator_;
  const cl_icd_dispatch& api_;
  const cl_command_queue queue_;
  DeviceListener& listener_;
  TaskViews views_;
  /// For when there is no memory to say more.
  const FailureLog::Cause bare_failure_ =
      std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "a kernel failed"});

  Mutex mutex_;
  std::condition_variable idle_;
  /// Whose ends the driver still has to tell.
  std::size_t in_flight_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// By the device's clock.
  cl_ulong last_end_ TROUPE_GUARDED_BY(mutex_) = 0;
};

OpenClDevice::~OpenClDevice() {
  (void)api_.clFinish(queue_);
  UniqueLock lock(mutex_);
  idle_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return in_flight_ == 0; });
  (void)api_.clReleaseCommandQueue(queue_);
}

Started OpenClDevice::start(graph::Task& task, std::span<graph::Task* const> /*behind*/) noexcept {
  try {
    for (const graph::TaskAccess& access : task.data()) {
      if (access.mode() != AccessMode::reduce) continue;
      return {true, failure(task, {ErrorCode::invalid_argument,
                                   "tasks that reduce run on CPU cores only; give the codelet no implementation for "
                                   "OpenCL, or access its data with commute"})};
    }
    auto enqueued = std::make_unique<Enqueued>();
    enqueued->device = this;
    enqueued->task = &task;
    if (FailureLog::Cause cause = enqueue(*enqueued)) {
      release(*enqueued);
      return {true, std::move(cause)};
    }
    cl_int status = CL_QUEUED;
    (void)api_.clGetEventInfo(enqueued->end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (status <= CL_COMPLETE) {
      FailureLog::Cause cause = enqueued->cause;
      if (const Result<void> ran = check(status, "a command on the device"); !ran && cause == nullptr) {
        cause = failure(task, ran.failure());
      }
      release(*enqueued);
      return {true, std::move(cause)};
    }
    {
      const LockGuard lock(mutex_);
      ++in_flight_;
    }
    Enqueued* const kept = enqueued.release();
    status = api_.clSetEventCallback(kept->end, CL_COMPLETE, ended, kept);
    if (status != CL_SUCCESS) end(std::unique_ptr<Enqueued>(kept), api_.clFinish(queue_));
    return {};
  } catch (...) {
    // No memory left to say what happened. Nobody may use the data before what has been enqueued has ended.
    (void)api_.clFinish(queue_);
    return {true, bare_failure_};
  }
}

Result<void> OpenClDevice::provide_data(const graph::Task& task) {
  const KernelContext context = views_.context_of(task);
  for (std::size_t i = 0; i < context.size(); ++i) {
    const DataView& view = context.data(i);
    if (Result<void> there = accelerator_.provide(view.data, view.layout.payload().count); !there) return there;
  }
  return {};
}

FailureLog::Cause OpenClDevice::enqueue(Enqueued& enqueued) {
  const graph::Task& task = *enqueued.task;
  views_.prepare(task);
  if (const Result<void> there = provide_data(task); !there) return failure(task, there.failure());
  if (const Result<void> begun = marker(enqueued.begin); !begun) return failure(task, begun.failure());
  enqueued.cause = call_kernel(task);
  Result<void> made = marker(enqueued.end);
  if (made) made = check(api_.clFlush(queue_), "flushing the queue");
  if (made) return nullptr;
  (void)api_.clFinish(queue_);
  return failure(task, made.failure());
}

FailureLog::Cause OpenClDevice::call_kernel(const graph::Task& task) {
  try {
    OpenClLaunch launch(
        {&api_, accelerator_.context(), accelerator_.device().id, queue_}, options_.executor.worker, &accelerator_,
        [](void* memory, const void* address) {
          return static_cast<platform::OpenClAccelerator*>(memory)->buffer_at(static_cast<const std::byte*>(address));
        });
    KernelContext context = views_.context_of(task);
    context.stream = &launch;
    const graph::ExecutionScope scope(options_.executor.graph, options_.executor.worker);
    task.codelet->kernel_for(DeviceKind::opencl)(context);
    return nullptr;
  } catch (...) {
    return task_failure_of_exception(task, options_.executor.worker, options_.executor.name);
  }
}

Result<void> OpenClDevice::marker(cl_event& event) {
  return check(api_.clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &event), "enqueueing a marker");
}

void CL_CALLBACK OpenClDevice::ended(cl_event /*event*/, cl_int status, void* enqueued) {
  auto* const kept = static_cast<Enqueued*>(enqueued);
  kept->device->end(std::unique_ptr<Enqueued>(kept), status);
}

void OpenClDevice::end(std::unique_ptr<Enqueued> enqueued, cl_int status) noexcept {
  graph::Task& task = *enqueued->task;
  FailureLog::Cause cause = std::move(enqueued->cause);
  if (status < CL_COMPLETE && cause == nullptr) {
    cause = failure(task, {ErrorCode::kernel_failed, "a command failed: " + platform::opencl_error(status)});
  }
  const Duration took = time_of(*enqueued);
  release(*enqueued);
  enqueued.reset();
  listener_.done(task, std::move(cause), took);
  // Last: the device may go then.
  const LockGuard lock(mutex_);
  --in_flight_;
  idle_.notify_all();
}

Duration OpenClDevice::time_of(const Enqueued& enqueued) {
  cl_ulong begin = 0;
  cl_ulong end = 0;
  const auto ask = [this](cl_event event, cl_ulong& time) {
    return api_.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, nullptr) == CL_SUCCESS;
  };
  if (!ask(enqueued.begin, begin) || !ask(enqueued.end, end) || end < begin) return Duration(-1);
  const LockGuard lock(mutex_);
  begin = std::max(begin, std::min(last_end_, end));
  last_end_ = std::max(last_end_, end);
  return Duration(static_cast<Duration::rep>(end - begin));
}

void OpenClDevice::release(const Enqueued& enqueued) {
  for (const cl_event event : {enqueued.begin, enqueued.end}) {
    if (event != nullptr) (void)api_.clReleaseEvent(event);
  }
}

FailureLog::Cause OpenClDevice::failure(const graph::Task& task, const Failure& why) const noexcept {
  try {
    return task_failure(task, why.code, why.message, options_.executor.worker, options_.executor.name);
  } catch (...) {
    return bare_failure_;
  }
}

}  // namespace

Result<std::unique_ptr<Device>> make_opencl_device(OpenClDeviceOptions options, DeviceListener& listener) {
  const auto unbound = platform::unbound_for_drivers();
  const Result<cl_command_queue> queue = static_cast<platform::OpenClAccelerator&>(*options.accelerator).make_queue();
  if (!queue) return queue.failure();
  return std::unique_ptr<Device>(new OpenClDevice(std::move(options), queue.value(), listener));
}

}  // namespace troupe::workers
