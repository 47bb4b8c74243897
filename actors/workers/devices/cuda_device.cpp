#include "actors/workers/devices/cuda_device.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/workers/devices/task_failure.hpp"
#include "actors/workers/devices/time_charge.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/completion_check.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "platform/cuda/cuda_api.hpp"
#include "platform/cuda/cuda_objects.hpp"
#include "platform/cuda/cuda_range.hpp"
#include "platform/cuda/cuda_thread.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

namespace {

using graph::FailureLog;
using platform::cuda_check;

class CudaDevice final : public Device {
 public:
  CudaDevice(CudaDeviceOptions options, const platform::CudaApi& api, DeviceListener& listener)
      : options_(std::move(options)), api_(api), listener_(listener) {
    assert(options_.slots > 0 && "a device takes at least one task");
  }
  ~CudaDevice() override;

  [[nodiscard]] Result<void> make_streams();

  [[nodiscard]] std::string name() const override { return options_.executor.name; }
  Started start(graph::Task& task, std::span<graph::Task* const> behind) noexcept override;
  void take_back(graph::TaskList& not_begun) noexcept override;
  void poll() noexcept override;

 private:
  struct Stream {
    platform::CudaStream stream;
    bool urgent = false;
    std::size_t tasks = 0;
  };
  /// A task on a stream.
  struct Slot {
    explicit Slot(TaskViews of) : views(std::move(of)) {}

    TaskViews views;
    Stream* on = nullptr;
    platform::CudaEvent begin;
    platform::CudaEvent end;
    graph::CompletionChecks checks;
    graph::Task* task = nullptr;
    /// The time that the task has been charged, up to the event `base_`. The times of tasks count from this event.
    TimeCharge charge;
    /// The time at which the task ended on the GPU, if known; counted from `base_`.
    std::optional<Duration> ended;
    /// The exception that the kernel has thrown, or the failure of the work that the kernel has enqueued.
    FailureLog::Cause cause;
  };

  Started not_started(const graph::Task& task, const Failure& why);
  /// Returns a slot without a task; makes a slot if all slots have tasks. Afterwards the calling thread uses this GPU.
  Result<Slot*> free_slot();
  /// Returns the slot of a task that was started and has not ended; null if there is none.
  [[nodiscard]] Slot* slot_of(const graph::Task* task);
  [[nodiscard]] Stream& choose_stream(const graph::Task& task, const Slot* last_behind);
  [[nodiscard]] bool cannot_follow(std::span<graph::Task* const> behind);
  Result<void> wait_for(std::span<graph::Task* const> behind, const Slot& slot);
  Started enqueue(Slot& slot, graph::Task& task, std::span<graph::Task* const> behind);
  FailureLog::Cause call_kernel(Slot& slot, graph::Task& task);
  /// Called when the slot's stream has come to the end of the slot's task: ends the task.
  void end(Slot& slot);
  /// Finds the tasks on the GPU that have ended; returns false if the GPU is lost.
  bool look_for_ends() noexcept;
  /// Charges the tasks on the GPU for the time up to the end of `first`. From then on, times count from this end.
  void charge_until(Slot& first);
  FailureLog::Cause check(Slot& slot) const;
  /// Returns the failure for the exception that is being handled.
  [[nodiscard]] FailureLog::Cause current_failure(const graph::Task& task) const noexcept;
  /// Returns the time at which the GPU came to the event; nothing if the GPU has not come to the event yet, or if CUDA
  /// does not give the time.
  [[nodiscard]] std::optional<Duration> time_of(const platform::CudaEvent& event) const;
  /// Adds the task to the trace. The task ran for the time `ran`, and ended `ago` before now.
  void note(const Slot& slot, Duration ran, Duration ago, bool failed) const noexcept;
  /// Fails all tasks in flight. Each task gets a failure, even if an exception is thrown meanwhile.
  void lose(const Failure& why) noexcept;
  void tell_of_loss(const std::string& message);
  [[nodiscard]] FailureLog::Cause lost(const graph::Task& task) const noexcept;
  [[nodiscard]] FailureLog::Cause failure(const graph::Task& task, const Failure& why) const {
    return task_failure(task, why.code, why.message, options_.executor.worker, options_.executor.name);
  }
  /// Turns the status of a CUDA call that was made for a task into a result.
  [[nodiscard]] Result<void> checked(cudaError_t status, std::string_view what) const {
    return cuda_check(api_, status, what, ErrorCode::kernel_failed);
  }

  const CudaDeviceOptions options_;
  const platform::CudaApi& api_;
  DeviceListener& listener_;
  /// Half of the streams are urgent: the GPU prefers their kernels to other kernels that have not begun. A task takes
  /// the stream with the fewest tasks; among equals, an urgent stream if the task is more urgent than all tasks on the
  /// GPU. A task that is issued behind other tasks goes to the stream of the last of these tasks.
  std::vector<Stream> streams_;
  /// The container is a deque, because slots must stay where they are.
  std::deque<Slot> slots_;
  /// Tasks that were started behind a task whose kernel could not be enqueued. They are in a vector and not in a
  /// `TaskList`, because a task that has become ready may be linked into a `TaskList` of the graph.
  std::vector<graph::Task*> not_begun_;
  /// Slots in the order of their starts.
  std::deque<Slot*> in_flight_;
  /// The event from which times count. It is the end of the task that ended last (`last_end_`) or, if no task was on
  /// the GPU after this end, the begin of the task that was started next. The event must not be long ago, because CUDA
  /// gives times in single precision.
  const platform::CudaEvent* base_ = nullptr;
  platform::CudaEvent last_end_;
  bool lost_ = false;
  std::string why_lost_;
  /// The failures that are reported if there is no memory for a better message.
  const FailureLog::Cause bare_failure_ =
      std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "a kernel failed"});
  const FailureLog::Cause bare_loss_ = std::make_shared<Failure>(Failure{ErrorCode::device_lost, "the GPU was lost"});
};

CudaDevice::~CudaDevice() {
  for (const Stream& stream : streams_) {
    if (stream.tasks > 0) (void)api_.cudaStreamSynchronize(stream.stream.get());
  }
  // After a fault, CUDA answers with an error, which ends all tasks.
  poll();
  assert(in_flight_.empty() && "a stream that has been waited for has ended");
  for (graph::Task* task : not_begun_) listener_.done(*task, bare_failure_, Duration(-1));
}

Result<void> CudaDevice::make_streams() {
  const cudaError_t status = api_.cudaSetDevice(options_.accelerator->index());
  if (Result<void> set = checked(status, "beginning to use the GPU"); !set) return set;
  streams_.resize(options_.slots);
  for (std::size_t i = 0; i < options_.slots; ++i) {
    streams_[i].urgent = i % 2 == 1;
    Result<platform::CudaStream> stream = platform::make_cuda_stream(api_, streams_[i].urgent);
    if (!stream) return stream.failure();
    streams_[i].stream = std::move(stream).value();
  }
  Result<platform::CudaEvent> made = platform::make_cuda_event(api_, true);
  if (!made) return made.failure();
  last_end_ = std::move(made).value();
  return {};
}

Result<CudaDevice::Slot*> CudaDevice::free_slot() {
  Result<void> chosen = checked(api_.cudaSetDevice(options_.accelerator->index()), "choosing the GPU");
  if (!chosen) return chosen.failure();
  const auto free = std::ranges::find(slots_, nullptr, &Slot::task);
  if (free != slots_.end()) return &*free;
  platform::CudaEvent events[2];
  for (platform::CudaEvent& event : events) {
    Result<platform::CudaEvent> made = platform::make_cuda_event(api_, true);
    if (!made) return made.failure();
    event = std::move(made).value();
  }
  Slot& slot =
      slots_.emplace_back(TaskViews(options_.executor.worker, options_.executor.find_replica, options_.executor.graph));
  slot.begin = std::move(events[0]);
  slot.end = std::move(events[1]);
  slot.checks =
      graph::CompletionChecks([this, &slot] { (void)api_.cudaEventRecord(slot.begin.get(), slot.on->stream.get()); });
  return &slot;
}

CudaDevice::Slot* CudaDevice::slot_of(const graph::Task* task) {
  const auto found = std::ranges::find(in_flight_, task, [](const Slot* slot) { return slot->task; });
  return found == in_flight_.end() ? nullptr : *found;
}

bool CudaDevice::cannot_follow(std::span<graph::Task* const> behind) {
  return std::ranges::any_of(behind, [this](const graph::Task* task) {
    const Slot* const slot = slot_of(task);
    return slot == nullptr || slot->cause != nullptr;
  });
}

CudaDevice::Stream& CudaDevice::choose_stream(const graph::Task& task, const Slot* last_behind) {
  if (last_behind != nullptr) return *last_behind->on;
  const bool urgent =
      streams_.size() > 1 && !in_flight_.empty() && std::ranges::all_of(in_flight_, [&](const Slot* slot) {
        return slot->task == nullptr || slot->task->priority < task.priority;
      });
  return *std::ranges::min_element(
      streams_, {}, [urgent](const Stream& stream) { return std::pair(stream.tasks, stream.urgent != urgent); });
}

Result<void> CudaDevice::wait_for(std::span<graph::Task* const> behind, const Slot& slot) {
  for (const graph::Task* task : behind) {
    const Slot& before = *slot_of(task);
    if (before.on == slot.on) continue;
    const cudaError_t status = api_.cudaStreamWaitEvent(slot.on->stream.get(), before.end.get(), 0);
    if (Result<void> waits = checked(status, "waiting for another kernel"); !waits) return waits;
  }
  return {};
}

Started CudaDevice::start(graph::Task& task, std::span<graph::Task* const> behind) noexcept {
  try {
    if (!lost_ && options_.accelerator->lost()) lose({ErrorCode::device_lost, "a copy found it so"});
    if (lost_) return {true, lost(task)};
    for (const graph::TaskAccess& access : task.data()) {
      if (access.mode() != AccessMode::reduce) continue;
      return {true, failure(task, {ErrorCode::invalid_argument,
                                   "tasks that reduce run on CPU cores only; give the codelet no implementation for "
                                   "CUDA, or access its data with commute"})};
    }
    if (cannot_follow(behind)) {
      not_begun_.push_back(&task);
      return {};
    }
    const Result<Slot*> slot = free_slot();
    if (!slot) return not_started(task, slot.failure());
    return enqueue(*slot.value(), task, behind);
  } catch (...) {
    // No memory is left to say what happened, or to prepare the task: nothing has been enqueued.
    return {true, bare_failure_};
  }
}

void CudaDevice::take_back(graph::TaskList& not_begun) noexcept {
  for (graph::Task* task : not_begun_) not_begun.push_back(task);
  not_begun_.clear();
}

Started CudaDevice::enqueue(Slot& slot, graph::Task& task, std::span<graph::Task* const> behind) {
  slot.on = &choose_stream(task, behind.empty() ? nullptr : slot_of(behind.back()));
  if (in_flight_.empty()) base_ = &slot.begin;
  in_flight_.push_back(&slot);
  slot.charge.begun.reset();
  slot.ended.reset();
  slot.charge.charged = {};
  slot.cause = nullptr;
  slot.checks.clear();
  const cudaStream_t stream = slot.on->stream.get();
  Result<void> status = wait_for(behind, slot);
  if (status) status = checked(api_.cudaEventRecord(slot.begin.get(), stream), "noting a kernel's begin");
  if (status) {
    slot.cause = call_kernel(slot, task);
    status = checked(api_.cudaEventRecord(slot.end.get(), stream), "noting a kernel's end");
  }
  if (status) {
    slot.task = &task;
    ++slot.on->tasks;
    return {};
  }
  in_flight_.pop_back();
  // No other task may use the data before the enqueued work has ended.
  if (status.failure().code != ErrorCode::device_lost) (void)api_.cudaStreamSynchronize(stream);
  return not_started(task, status.failure());
}

Started CudaDevice::not_started(const graph::Task& task, const Failure& why) {
  if (why.code != ErrorCode::device_lost) return {true, failure(task, why)};
  lose(why);
  return {true, lost(task)};
}

FailureLog::Cause CudaDevice::call_kernel(Slot& slot, graph::Task& task) {
  try {
    const platform::CudaRange range(task.codelet->name.c_str());
    slot.views.prepare(task);
    KernelContext context = slot.views.context_of(task);
    context.stream = slot.on->stream.get();
    // Clears errors of earlier calls, such as queries of events that had not happened yet.
    (void)api_.cudaGetLastError();
    const graph::ExecutionScope scope(options_.executor.graph, options_.executor.worker, &task);
    const graph::CompletionChecks::Scope checks(slot.checks);
    task.codelet->kernel_for(DeviceKind::cuda)(context);
    // Finds a failed launch that the kernel does not check: <<<>>> itself reports no failure.
    checked(api_.cudaGetLastError(), "launching on the GPU").value_or_throw();
    return nullptr;
  } catch (...) {
    slot.checks.clear();
    return current_failure(task);
  }
}

FailureLog::Cause CudaDevice::current_failure(const graph::Task& task) const noexcept {
  try {
    return task_failure_of_exception(task, options_.executor.worker, options_.executor.name);
  } catch (...) {
    return bare_failure_;
  }
}

void CudaDevice::poll() noexcept {
  if (!look_for_ends()) return;
  // Tasks are charged in the order of their ends: up to its end, each task shared the GPU with those in flight.
  while (true) {
    auto first = in_flight_.end();
    for (auto one = in_flight_.begin(); one != in_flight_.end(); ++one) {
      if ((*one)->ended && (first == in_flight_.end() || (*one)->ended < (*first)->ended)) first = one;
    }
    if (first == in_flight_.end()) return;
    Slot& slot = **first;
    charge_until(slot);
    in_flight_.erase(first);
    end(slot);
  }
}

bool CudaDevice::look_for_ends() noexcept {
  bool any = false;
  bool timed = true;
  // Streams begin in any order. No times can be read before the event `base_` has happened.
  if (in_flight_.empty() || api_.cudaEventQuery(base_->get()) == cudaErrorNotReady) return true;
  // The newest task is checked first. If that task has ended, the tasks for which it waited have ended, too, and the
  // later checks find them.
  for (auto one = in_flight_.rbegin(); one != in_flight_.rend(); ++one) {
    Slot* const slot = *one;
    const cudaError_t status = api_.cudaEventQuery(slot->end.get());
    if (status == cudaErrorNotReady) continue;
    try {
      if (const Result<void> ended = checked(status, "running kernels"); !ended) {
        if (ended.failure().code == ErrorCode::device_lost) {
          lose(ended.failure());
          return false;
        }
        slot->cause = failure(*slot->task, ended.failure());
      }
    } catch (...) {
      slot->cause = bare_failure_;
    }
    slot->ended = time_of(slot->end);
    any = true;
    timed = timed && slot->ended.has_value();
    if (!slot->ended) slot->ended = Duration{};
  }
  if (!any) return true;
  // If one task has no time, the order of the ends is not known: the tasks then count in the order of their starts.
  for (Slot* slot : in_flight_) {
    if (!timed && slot->ended) slot->ended = Duration{};
  }
  for (Slot* slot : in_flight_) {
    if (!slot->charge.begun) slot->charge.begun = time_of(slot->begin);
  }
  return true;
}

void CudaDevice::charge_until(Slot& first) {
  const Duration end = *first.ended;
  Duration from{};
  if (base_ == &last_end_) {
    // This task ended before the task handled last, but was found later. The time up to its end is already charged.
    if (end < from) return;
  } else {
    for (const Slot* slot : in_flight_) from = std::min(from, slot->charge.begun.value_or(from));
  }
  charge_time(from, end, in_flight_, [](Slot* slot) { return &slot->charge; });
  for (Slot* slot : in_flight_) {
    if (slot->charge.begun) *slot->charge.begun -= end;
    if (slot->ended) *slot->ended -= end;
  }
  std::swap(last_end_, first.end);
  base_ = &last_end_;
}

void CudaDevice::end(Slot& slot) {
  if (!slot.cause) slot.cause = check(slot);
  // This call of `poll` may also have found tasks that ended later than this task.
  Duration ago{};
  for (const Slot* other : in_flight_) ago = std::max(ago, other->ended.value_or(Duration{}) - *slot.ended);
  note(slot, slot.charge.begun ? *slot.ended - *slot.charge.begun : Duration{}, ago, slot.cause != nullptr);
  graph::Task& task = *std::exchange(slot.task, nullptr);
  --slot.on->tasks;
  listener_.done(task, std::exchange(slot.cause, nullptr), slot.charge.begun ? slot.charge.charged : Duration(-1));
}

FailureLog::Cause CudaDevice::check(Slot& slot) const {
  try {
    slot.checks.run();
    return nullptr;
  } catch (...) {
    return current_failure(*slot.task);
  }
}

std::optional<Duration> CudaDevice::time_of(const platform::CudaEvent& event) const {
  float milliseconds = 0;
  if (api_.cudaEventElapsedTime(&milliseconds, base_->get(), event.get()) != cudaSuccess) {
    (void)api_.cudaGetLastError();
    return std::nullopt;
  }
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(milliseconds));
}

void CudaDevice::note(const Slot& slot, Duration ran, Duration ago, bool failed) const noexcept {
  if (options_.executor.trace == nullptr) return;
  const graph::Task& task = *slot.task;
  failed = failed || task.told();
  const TimeStamp end = options_.executor.clock->now() - std::max(ago, Duration{});
  TaskSpan span{task.codelet, task.task_id(), end - std::max(ran, Duration{}), end, 0, task.priority, failed};
  try {
    if (task.codelet->flops && !failed) span.flops = task.codelet->flops(slot.views.context_of(task));
  } catch (...) {
    // `flops` is the program's function and may throw: a trace must not change the task's outcome.
  }
  options_.executor.trace->ran(span, task);
}

void CudaDevice::lose(const Failure& why) noexcept {
  lost_ = true;
  try {
    why_lost_ = why.message;
    if (in_flight_.size() > 1) {
      why_lost_ += "; one of " + std::to_string(in_flight_.size()) + " tasks that were on it is the cause";
    }
    tell_of_loss(options_.executor.name + " was lost: " + why_lost_);
  } catch (...) {
    try {
      // An empty message takes no memory.
      tell_of_loss({});
    } catch (...) {
      // The next task or copy that uses the accelerator finds out about the loss.
    }
  }
  while (!in_flight_.empty()) {
    Slot& slot = *in_flight_.front();
    in_flight_.pop_front();
    slot.checks.clear();
    slot.cause = nullptr;
    graph::Task& task = *std::exchange(slot.task, nullptr);
    --slot.on->tasks;
    listener_.done(task, lost(task), Duration(-1));
  }
}

void CudaDevice::tell_of_loss(const std::string& message) {
  options_.accelerator->lose({ErrorCode::device_lost, message});
  if (options_.on_lost) options_.on_lost();
}

FailureLog::Cause CudaDevice::lost(const graph::Task& task) const noexcept {
  try {
    return failure(task, {ErrorCode::device_lost, "the GPU was lost: " + why_lost_});
  } catch (...) {
    return bare_loss_;
  }
}

}  // namespace

Result<std::unique_ptr<Device>> make_cuda_device(CudaDeviceOptions options, DeviceListener& listener) {
  assert(options.executor.kind == DeviceKind::cuda && "a CUDA device runs kernels for CUDA");
  Result<const platform::CudaApi*> api = platform::cuda_api();
  if (!api) return api.failure();
  auto device = std::make_unique<CudaDevice>(std::move(options), *api.value(), listener);
  // The current GPU of the calling thread must not change, because this thread is not the worker's. So the streams are
  // made in a thread of their own.
  const Result<void> made = platform::on_thread_of_its_own([&] { return device->make_streams(); });
  if (!made) return made.failure();
  return std::unique_ptr<Device>(std::move(device));
}

}  // namespace troupe::workers
