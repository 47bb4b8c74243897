#include "actors/workers/devices/opencl_device.hpp"

#include <CL/cl_icd.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <optional>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/opencl_lending.hpp"
#include "actors/workers/devices/task_failure.hpp"
#include "actors/workers/devices/time_charge.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/completion_check.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "platform/opencl/opencl_error.hpp"
#include "platform/opencl/opencl_objects.hpp"
#include "proto/mutex.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"
#include "troupe/opencl.hpp"

namespace troupe::workers {

namespace {

using graph::FailureLog;
using platform::opencl_check;
using platform::opencl_error;

class OpenClDevice final : public Device {
 public:
  OpenClDevice(OpenClDeviceOptions options, DeviceListener& listener);
  ~OpenClDevice() override;
  OpenClDevice(const OpenClDevice&) = delete;
  OpenClDevice& operator=(const OpenClDevice&) = delete;

  [[nodiscard]] Result<void> make_queues();

  using Device::start;
  [[nodiscard]] std::string name() const override { return options_.executor.name; }
  Started start(graph::Task& task, std::span<graph::Task* const> behind) noexcept override;

 private:
  struct GiveBackTurn {
    void operator()(std::binary_semaphore* turn) const { turn->release(); }
  };
  using Turn = std::unique_ptr<std::binary_semaphore, GiveBackTurn>;
  /// A task on a queue. While `starting` is true, the worker owns the members that no lock protects; afterwards the
  /// thread that ends the task owns these members.
  struct Slot {
    explicit Slot(OpenClDevice& of)
        : owner(of),
          views(of.options_.executor.worker, of.options_.executor.find_replica, of.options_.executor.graph),
          lending(*of.options_.data, !has_own_memory(of.options_.executor.kind)) {}

    OpenClDevice& owner;
    cl_command_queue queue = nullptr;
    /// Owns `queue` if no other slot uses it.
    platform::OpenClQueue own_queue;
    TaskViews views;
    OpenClLending lending;
    /// The events that the kernel named. The task waits for these events, and releases them when it ends.
    std::vector<cl_event> awaited;
    platform::OpenClEvent end;
    graph::CompletionChecks checks;
    /// The failure if the kernel has thrown.
    FailureLog::Cause cause;
    /// The turn is held from before the kernel is called until the kernel's task has ended.
    Turn turn;

    // The device's lock protects the members below.
    graph::Task* task = nullptr;
    platform::OpenClEvent begin;
    /// True until `start` returns.
    bool starting = false;
    /// The driver's status of the task's end: CL_COMPLETE, or a negative error. Empty until the driver reports the end.
    std::optional<cl_int> ended;
    TimeCharge charge;
  };
  /// The end of a task.
  struct End {
    graph::Task* task = nullptr;
    FailureLog::Cause cause;
    Duration took{};
  };

  [[nodiscard]] const _cl_icd_dispatch& api() const { return *options_.data->device().api; }
  Started start_on(Slot& slot, graph::Task& task);
  /// Checks whether the device still works, if the device may have caused a failure. Returns true if the device has
  /// stopped working.
  [[nodiscard]] bool is_lost();
  FailureLog::Cause call_kernel(Slot& slot, graph::Task& task);
  /// Returns the first failure so far among the events that the kernel named.
  [[nodiscard]] Result<void> awaited_failure(const Slot& slot) const;
  /// If `event` is empty, enqueues a marker behind the events in `after`, and sets `event` to the marker's event.
  [[nodiscard]] Result<void> mark(cl_command_queue queue, std::span<const cl_event> after, platform::OpenClEvent& event,
                                  std::string_view what);
  [[nodiscard]] Result<void> enqueue_end(Slot& slot);
  /// Calls `enqueue_end`. Returns the failure, or null if the end is enqueued.
  [[nodiscard]] FailureLog::Cause enqueue_end_or_say(Slot& slot, const graph::Task& task) noexcept;
  static void CL_CALLBACK on_end(cl_event event, cl_int status, void* slot) noexcept;
  /// Waits for the end of the task, if the driver has no way to report it.
  void wait_here(Slot& slot);
  /// Called in the thread that has found that the task has ended. The slot is free afterwards.
  End finish(Slot& slot) noexcept;
  /// Returns why the device's commands failed, or the failure of the checks; null if commands and checks succeeded.
  FailureLog::Cause outcome(Slot& slot);
  /// Returns the total time that the slot's task is charged; negative if the driver does not give the times. Sets `ran`
  /// to the time from the task's begin to its end.
  Duration charge(Slot& slot, Duration& ran);
  void charge_until(Duration end) TROUPE_REQUIRES(mutex_);
  /// Returns the time at which the device came to the event; nothing if the device has not come to the event yet, or if
  /// the driver does not give the time.
  [[nodiscard]] std::optional<Duration> time_of(const platform::OpenClEvent& event) const;
  void note(const Slot& slot, Duration ran, bool failed) const noexcept;
  [[nodiscard]] FailureLog::Cause failure(const graph::Task& task, const Failure& why) const {
    return task_failure(task, why.code, why.message, options_.executor.worker, options_.executor.name);
  }
  /// Returns the failure for the exception that is being handled.
  [[nodiscard]] FailureLog::Cause current_failure(const graph::Task& task) const noexcept;
  [[nodiscard]] static Result<void> checked(cl_int status, std::string_view what) {
    return opencl_check(status, what, ErrorCode::kernel_failed);
  }

  const OpenClDeviceOptions options_;
  DeviceListener& listener_;
  /// The device that runs tasks whose data have no buffers; null if the OpenCL device has memory of its own.
  std::unique_ptr<CoreDevice> core_;
  /// The failure that is reported if there is no memory for a better message.
  const FailureLog::Cause bare_failure_ =
      std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "a kernel failed"});

  /// True if a call has failed for a reason other than the kernels, and `is_lost` has not checked the device since.
  std::atomic<bool> suspect_{false};
  /// True if `on_lost` has been called. Used only by the worker.
  bool said_lost_ = false;

  Mutex mutex_;
  std::condition_variable told_;
  /// The container is a deque, because slots must stay where they are. The number of slots is fixed after
  /// `make_queues`.
  std::deque<Slot> slots_;
  /// The number of ends that the driver has not reported, or that some thread is handling.
  std::size_t untold_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The device's time has been charged to tasks up to this time.
  Duration charged_until_ TROUPE_GUARDED_BY(mutex_){};
};

OpenClDevice::OpenClDevice(OpenClDeviceOptions options, DeviceListener& listener)
    : options_(std::move(options)), listener_(listener) {
  assert(options_.slots > 0 && "a device takes at least one task");
  if (has_own_memory(options_.executor.kind)) return;
  CoreDevice::Options core = options_.executor;
  core.kind = DeviceKind::cpu_core;
  core.find_replica = nullptr;
  core_ = std::make_unique<CoreDevice>(std::move(core));
}

OpenClDevice::~OpenClDevice() {
  for (const Slot& slot : slots_) (void)api().clFinish(slot.queue);
  UniqueLock lock(mutex_);
  told_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return untold_ == 0; });
}

Result<void> OpenClDevice::make_queues() {
  for (std::size_t i = 0; i < options_.slots; ++i) {
    Slot& slot = slots_.emplace_back(*this);
    slot.queue = options_.data->only_queue();
    if (slot.queue != nullptr) continue;
    const platform::OpenClTaskData& data = *options_.data;
    Result<platform::OpenClQueue> queue = platform::make_opencl_queue(api(), data.context(), data.device().id, true);
    if (!queue) return queue.failure();
    slot.own_queue = std::move(queue).value();
    slot.queue = slot.own_queue.get();
  }
  return {};
}

Started OpenClDevice::start(graph::Task& task, std::span<graph::Task* const> behind) noexcept {
  assert(behind.empty() && "nothing is issued on an OpenCL device");
  (void)behind;
  Slot* free = nullptr;
  try {
    if (is_lost()) return {true, failure(task, {ErrorCode::device_lost, "the device has stopped working"})};
    for (const graph::TaskAccess& access : task.data()) {
      if (access.mode() != AccessMode::reduce) continue;
      return {true, failure(task, {ErrorCode::invalid_argument,
                                   "tasks that reduce run on CPU cores only; give the codelet no implementation for "
                                   "OpenCL, or access its data with commute"})};
    }
    {
      const LockGuard lock(mutex_);
      const auto found = std::ranges::find(slots_, nullptr, &Slot::task);
      assert(found != slots_.end() && "a device gets as many tasks as it has slots");
      free = &*found;
    }
    return start_on(*free, task);
  } catch (...) {
    // No memory is left to prepare the task, or to say what happened. The task's kernel has not been called.
    if (free != nullptr) {
      free->lending.give_back(free->queue);
      free->turn.reset();
      const LockGuard lock(mutex_);
      free->task = nullptr;
    }
    return {true, bare_failure_};
  }
}

bool OpenClDevice::is_lost() {
  platform::OpenClTaskData& data = *options_.data;
  if (suspect_.exchange(false) && api().clFinish(slots_.front().queue) != CL_SUCCESS) data.note_loss();
  if (!data.has_stopped()) return false;
  if (!std::exchange(said_lost_, true) && options_.on_lost) options_.on_lost();
  return true;
}

Started OpenClDevice::start_on(Slot& slot, graph::Task& task) {
  slot.views.prepare(task);
  // The end of the commands before the kernel is the kernel's begin.
  platform::OpenClEvent begin;
  if (const auto lent = slot.lending.lend(slot.queue, task, slot.views, begin); !lent) {
    const bool no_buffer = lent.failure().code == ErrorCode::out_of_memory;
    if (core_ != nullptr && no_buffer && task.codelet->runs_on(DeviceKind::cpu_core)) return core_->start(task, {});
    suspect_ = true;
    return {true, failure(task, lent.failure())};
  }
  if (const auto begun = mark(slot.queue, {}, begin, "noting a kernel's begin"); !begun) {
    slot.lending.give_back(slot.queue);
    suspect_ = true;
    return {true, failure(task, begun.failure())};
  }
  {
    const LockGuard lock(mutex_);
    slot.begin = std::move(begin);
    slot.end = {};
    slot.task = &task;
    slot.starting = true;
    slot.ended.reset();
    slot.charge = {};
  }
  if (options_.turn != nullptr) {
    options_.turn->acquire();
    slot.turn.reset(options_.turn);
  }
  slot.cause = call_kernel(slot, task);
  if (FailureLog::Cause failed = enqueue_end_or_say(slot, task)) {
    // No other task may use the data before the enqueued work has ended.
    (void)api().clFinish(slot.queue);
    suspect_ = true;
    if (!slot.cause) slot.cause = std::move(failed);
    const LockGuard lock(mutex_);
    slot.ended = CL_COMPLETE;
  }
  {
    const LockGuard lock(mutex_);
    slot.starting = false;
    if (!slot.ended) return {};
  }
  return {true, finish(slot).cause};
}

FailureLog::Cause OpenClDevice::call_kernel(Slot& slot, graph::Task& task) {
  const platform::OpenClTaskData& data = *options_.data;
  OpenClLaunch launch({&api(), data.context(), data.device().id}, slot.queue, slot.lending.buffers(),
                      options_.executor.worker);
  slot.checks.clear();
  FailureLog::Cause cause;
  try {
    KernelContext context = slot.views.context_of(task);
    context.stream = &launch;
    const graph::ExecutionScope scope(options_.executor.graph, options_.executor.worker, &task);
    const graph::CompletionChecks::Scope checks(slot.checks);
    task.codelet->kernel_for(options_.executor.kind)(context);
  } catch (...) {
    slot.checks.clear();
    cause = current_failure(task);
  }
  slot.awaited = std::move(launch.awaited());
  return cause;
}

Result<void> OpenClDevice::awaited_failure(const Slot& slot) const {
  for (const cl_event event : slot.awaited) {
    cl_int status = CL_COMPLETE;
    (void)api().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    if (auto fine = checked(std::min(status, CL_COMPLETE), "what a kernel enqueued"); !fine) return fine;
  }
  return {};
}

Result<void> OpenClDevice::mark(cl_command_queue queue, std::span<const cl_event> after, platform::OpenClEvent& event,
                                std::string_view what) {
  if (event.get() != nullptr) return {};
  cl_event marker = nullptr;
  const cl_int status = api().clEnqueueMarkerWithWaitList(queue, static_cast<cl_uint>(after.size()),
                                                          after.empty() ? nullptr : after.data(), &marker);
  if (auto marked = checked(status, what); !marked) return marked;
  event = {api(), marker};
  return {};
}

Result<void> OpenClDevice::enqueue_end(Slot& slot) {
  // The driver pocl 3.1 never reports the end of an event that has to wait for a failed event.
  if (auto failed = awaited_failure(slot); !failed) {
    (void)slot.lending.bring_back(slot.queue, {}, slot.end);
    return failed;
  }
  // Data come back behind all other commands, one piece after the other.
  if (auto back = slot.lending.bring_back(slot.queue, slot.awaited, slot.end); !back) return back;
  if (auto noted = mark(slot.queue, slot.awaited, slot.end, "noting a kernel's end"); !noted) return noted;
  const cl_event end = slot.end.get();
  if (auto flushed = checked(api().clFlush(slot.queue), "starting what a kernel enqueued"); !flushed) {
    return flushed;
  }
  // The status is queried, because some drivers report the end of a command only after a query. Other drivers run all
  // commands inside the calls that enqueue them; then the task has ended by now.
  cl_int reached = CL_QUEUED;
  cl_int status = api().clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof reached, &reached, nullptr);
  if (status == CL_SUCCESS && reached <= CL_COMPLETE) {
    const LockGuard lock(mutex_);
    slot.ended = reached;
    return {};
  }
  {
    const LockGuard lock(mutex_);
    ++untold_;
  }
  status = api().clSetEventCallback(end, CL_COMPLETE, on_end, &slot);
  if (status != CL_SUCCESS) wait_here(slot);
  return {};
}

FailureLog::Cause OpenClDevice::enqueue_end_or_say(Slot& slot, const graph::Task& task) noexcept {
  try {
    const auto enqueued = enqueue_end(slot);
    return enqueued ? nullptr : failure(task, enqueued.failure());
  } catch (...) {  // No memory is left to say more.
    return bare_failure_;
  }
}

void OpenClDevice::wait_here(Slot& slot) {
  (void)api().clFinish(slot.queue);
  cl_int status = CL_COMPLETE;
  const cl_int asked =
      api().clGetEventInfo(slot.end.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  const LockGuard lock(mutex_);
  --untold_;
  slot.ended = asked == CL_SUCCESS ? std::min(status, CL_COMPLETE) : asked;
}

void CL_CALLBACK OpenClDevice::on_end(cl_event /*event*/, cl_int status, void* data) noexcept {
  Slot& slot = *static_cast<Slot*>(data);
  OpenClDevice& device = slot.owner;
  {
    const LockGuard lock(device.mutex_);
    slot.ended = status;
    if (slot.starting) {
      --device.untold_;
      return;
    }
  }
  End end = device.finish(slot);
  device.listener_.done(*end.task, std::move(end.cause), end.took);
  // The notification needs the lock, because the waiting thread destroys the device as soon as it has the lock.
  const LockGuard lock(device.mutex_);
  --device.untold_;
  device.told_.notify_all();
}

OpenClDevice::End OpenClDevice::finish(Slot& slot) noexcept {
  slot.turn.reset();
  if (!slot.cause) slot.cause = outcome(slot);
  Duration ran{};
  const Duration took = charge(slot, ran);
  note(slot, ran, slot.cause != nullptr);
  for (const cl_event event : std::exchange(slot.awaited, {})) (void)api().clReleaseEvent(event);
  slot.lending.end();
  // The slot's own events are kept until the slot's next task, because pocl still uses a failed event after pocl has
  // reported the failure.
  FailureLog::Cause cause = std::exchange(slot.cause, nullptr);
  const LockGuard lock(mutex_);
  return {std::exchange(slot.task, nullptr), std::move(cause), took};
}

FailureLog::Cause OpenClDevice::outcome(Slot& slot) {
  try {
    cl_int ended = CL_COMPLETE;
    {
      const LockGuard lock(mutex_);
      ended = *slot.ended;
    }
    if (ended < 0) suspect_ = true;
    // The failure of an event that the kernel named is more precise than the failure of the end event, which only says
    // that some event has failed.
    awaited_failure(slot).value_or_throw();
    checked(std::min(ended, CL_COMPLETE), "what a kernel enqueued").value_or_throw();
    slot.checks.run();
    return nullptr;
  } catch (...) {
    slot.checks.clear();
    return current_failure(*slot.task);
  }
}

FailureLog::Cause OpenClDevice::current_failure(const graph::Task& task) const noexcept {
  try {
    return task_failure_of_exception(task, options_.executor.worker, options_.executor.name);
  } catch (...) {
    return bare_failure_;
  }
}

Duration OpenClDevice::charge(Slot& slot, Duration& ran) {
  const LockGuard lock(mutex_);
  const auto end = time_of(slot.end);
  for (Slot& other : slots_) {
    if (other.task != nullptr && !other.charge.begun) other.charge.begun = time_of(other.begin);
  }
  if (!end || !slot.charge.begun) return Duration(-1);
  ran = std::max(Duration{}, *end - *slot.charge.begun);
  charge_until(*end);
  return slot.charge.charged;
}

void OpenClDevice::charge_until(Duration end) {
  const auto on_device = [](const Slot& slot) { return slot.task != nullptr && slot.charge.begun.has_value(); };
  Duration from = end;
  for (const Slot& slot : slots_) {
    if (on_device(slot)) from = std::min(from, *slot.charge.begun);
  }
  from = std::max(from, charged_until_);
  charge_time(from, end, slots_, [](Slot& slot) { return slot.task != nullptr ? &slot.charge : nullptr; });
  charged_until_ = std::max(charged_until_, end);
}

std::optional<Duration> OpenClDevice::time_of(const platform::OpenClEvent& event) const {
  cl_ulong nanoseconds = 0;
  if (event.get() == nullptr) return std::nullopt;
  const cl_int status =
      api().clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof nanoseconds, &nanoseconds, nullptr);
  if (status != CL_SUCCESS || nanoseconds == 0) return std::nullopt;
  return Duration(static_cast<Duration::rep>(nanoseconds));
}

void OpenClDevice::note(const Slot& slot, Duration ran, bool failed) const noexcept {
  if (options_.executor.trace == nullptr) return;
  const graph::Task& task = *slot.task;
  failed = failed || task.told();
  const TimeStamp end = options_.executor.clock->now();
  TaskSpan span{task.codelet, task.task_id(), end - ran, end, 0, task.priority, failed};
  try {
    if (task.codelet->flops && !failed) span.flops = task.codelet->flops(slot.views.context_of(task));
  } catch (...) {
    // `flops` is the program's function and may throw: a trace must not change the task's outcome.
  }
  options_.executor.trace->ran(span, task);
}

}  // namespace

Result<std::unique_ptr<Device>> make_opencl_device(OpenClDeviceOptions options, DeviceListener& listener) {
  assert(traits(options.executor.kind).stands_in_for == DeviceKind::opencl && "it runs kernels for OpenCL");
  if (!has_own_memory(options.executor.kind)) {
    // Kernels see data without gaps between their columns, on every device.
    options.executor.find_replica = [](const graph::DataRecord& data) {
      return DataView{data.view.data, data.view.layout.packed()};
    };
  }
  auto device = std::make_unique<OpenClDevice>(std::move(options), listener);
  if (const Result<void> made = device->make_queues(); !made) return made.failure();
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace troupe::workers
