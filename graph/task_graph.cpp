/// The functions of the task graph for waiting, cancelling and progress. The functions for data, submission and
/// completion are in other files.
#include "graph/task_graph.hpp"

#include <algorithm>
#include <bit>
#include <coroutine>
#include <limits>
#include <utility>

#include "graph/codelets/execution_scope.hpp"
#include "graph/submission_checks.hpp"
#include "graph/tasks/calling_thread.hpp"
#include "graph/tasks/interruptible_wait.hpp"
#include "graph/tasks/uncancellable.hpp"

namespace troupe::graph {

namespace {

/// Makes the codelet that folds the partial results of a reduction into the data. Argument 0 is the data's record;
/// argument 1 says whether the data had no content before. The codelet runs on a device that reaches host memory. If no
/// such device runs tasks (on a described machine whose cores all drive GPUs), any device runs the codelet.
Codelet make_combine_codelet(KindSet kinds) {
  const Kernel combine = [](const KernelContext& context) {
    context.argument<DataRecord*>(0)->reduction->combine(context.data(0), context.argument<bool>(1));
  };
  Codelet codelet = Codelet::internal("combine", {AccessMode::read_write});
  for (const DeviceTraits& row : kDeviceTraits) {
    if ((kinds & kind_set(row.kind)) != 0) codelet.implement(row.kind, combine);
  }
  return codelet;
}

/// Returns the codelet for combining tasks. All graphs share it, because learned times and traces refer to codelets
/// even when a graph is gone.
const Codelet& combine_codelet(const GraphOptions& options) {
  static const Codelet at_home = make_combine_codelet(kOnCores);
  static const Codelet on_any_device = make_combine_codelet(kEveryKind);
  return (options.device_kinds & kOnCores) != 0 ? at_home : on_any_device;
}

/// `adapts_` points to this value in graphs where every submission takes the longer way (`TaskGraph::submit_adapted`).
constinit const std::atomic<bool> always{true};

const Codelet& replay_codelet() {
  static const Codelet codelet("recorded graph", {});
  return codelet;
}

/// Returns the codelet of the tasks that order tasks on former parts before tasks on new parts. The kernel does
/// nothing: on a core, former and new parts are the same memory.
const Codelet& divide_codelet() {
  static const Codelet codelet = Codelet::internal("divide", {}).cpu([](const KernelContext&) {});
  return codelet;
}

/// Returns the codelet of tasks that resume coroutines. Argument 0 is the address of the coroutine.
const Codelet& resume_codelet() {
  static const Codelet codelet = Codelet::internal("resume", {}).cpu([](const KernelContext& context) {
    std::coroutine_handle<>::from_address(context.argument<void*>(0)).resume();
  });
  return codelet;
}

/// Waits until `done` returns true, or until `block`, which blocks the thread for that, gives up. If the calling thread
/// runs a kernel of another runtime, that runtime uses the kernel's core meanwhile, because the wait may depend on its
/// tasks. A thread that holds data keeps the core, because the core's next task might wait for these data.
template <class Done, class Block>
void block_outside(bool holds, const Done& done, const Block& block) {
  class Wait final : public BlockingWait {
   public:
    Wait(const Done& done, const Block& block) : done_(done), block_(block) {}
    bool done() noexcept override { return done_(); }
    void block() override { block_(); }

   private:
    const Done& done_;
    const Block& block_;
  };
  const ExecutionScope::Place* const kernel = ExecutionScope::innermost();
  if (holds || kernel == nullptr || !kernel->worker().valid() || kernel->task() == nullptr) return block();
  Wait wait(done, block);
  kernel->owner()->block_in_kernel(kernel->worker(), *kernel->task(), wait);
}

}  // namespace

TaskGraph::TaskGraph(const GraphOptions& options, GraphHost& host)
    : options_(options),
      adapts_(options.stand_ins || !options.deadlines || !options.restrictions.empty() ||
                      has_stand_ins_for_cores(options.device_kinds)
                  ? &always
                  : &HomeProcess::any_left()),
      host_(host),
      subtree_times_(options.cutoff > Duration{} ? std::make_unique<SubtreeTimes>() : nullptr),
      // With shared workers, each completion checks for waiting threads: a worker that is busy with tasks of other
      // graphs does not become idle, so it would never wake threads that wait for this graph.
      waiting_{options.shares_workers ? 1 : std::clamp<std::uint64_t>(std::bit_floor(options.window / 8), 1, 64)},
      workers_(options.workers),
      ids_{.next{options.first_id},
           .end = options.task_ids == nullptr ? std::numeric_limits<std::uint64_t>::max() : options.first_id},
      data_{DataRegistry(this, options.handle_ids)},
      own_codelets_{combine_codelet(options), replay_codelet(), divide_codelet(), resume_codelet()} {
  pools_.edges.prepare(submission_caches_.edges);
  called_.status.store(TaskStatus::succeeded, std::memory_order_relaxed);
  called_.successors.store(Task::closed(), std::memory_order_relaxed);
  for (WorkerCaches& caches : workers_.caches) {
    pools_.tasks.prepare(caches.tasks);
    pools_.edges.prepare(caches.edges);
  }
}

TaskGraph::~TaskGraph() = default;

Result<void> TaskGraph::check_wait() const {
  if (recording_here() != nullptr) {
    return waits_in_recording();
  }
  return check_outside_kernel();
}

Result<void> TaskGraph::check_outside_kernel() const {
  if (auto here = threads_.home.check(); !here) return here;
  if (ExecutionScope::find(this) == nullptr) return {};
  return waits_in_kernel();
}

Result<void> TaskGraph::block(TaskWaiter& waiter, WaitInterrupt* interrupt) {
  while (!waiter.done()) {
    switch (host_.pump()) {
      case GraphHost::Pump::block: {
        bool gave_up = false;
        block_outside(
            threads_.holds.any_here(), [&] { return waiter.done(); }, [&] { gave_up = !waiter.wait(interrupt); });
        if (gave_up) return gave_up_waiting();
        break;
      }
      case GraphHost::Pump::progressed: break;
      case GraphHost::Pump::exhausted:
        return Failure{ErrorCode::invalid_argument,
                       "this wait would never end: what it waits for needs data that this program holds"};
    }
  }
  return {};
}

Result<void> TaskGraph::wait(const Future& future) {
  const Uncancellable uncancellable;
  if (nesting_task_here() != nullptr) return wait_for_child(future);
  if (auto allowed = check_wait(); !allowed) return allowed;
  if (future.task() == nullptr) {
    return recorded_task_waited_for();
  }
  if (auto ends = check_may_wait(future); !ends) return ends;
  TaskWaiter waiter;
  if (EdgeBlock* const block_of_edge = hear_of_end(future, waiter)) {
    const WaitingThreads::Note note(threads_.waiting, WaitKind::task, future.id());
    const Result<void> waited = block(waiter, nullptr);
    if (!waited) unlink(*future.task(), block_of_edge->edges[0]);
    stop_hearing(block_of_edge);
    if (!waited) return waited;
  }
  if (status(future) == TaskStatus::succeeded) return {};
  return failures_.failure_of(future.id());
}

EdgeBlock* TaskGraph::hear_of_end(const Future& future, TaskWaiter& waiter) {
  const LockGuard lock(submission_mutex_);
  Task& task = *future.task();
  if (task.id.load(std::memory_order_relaxed) != future.id().value()) return nullptr;
  Edge* head = task.successors.load(std::memory_order_acquire);
  if (head == Task::closed()) return nullptr;
  // The edge is not on the stack, because `inspect` may still be at the edge when this wait has ended.
  EdgeBlock* const block = pools_.edges.allocate(submission_caches_.edges);
  Edge& edge = block->edges[0];
  edge.set(&waiter, Edge::waiter);
  do {
    edge.link(head);
    // The release order publishes the edge to the worker that completes the task (acquire exchange in `free`).
    if (task.successors.compare_exchange_weak(head, &edge, std::memory_order_release, std::memory_order_acquire)) {
      return block;
    }
  } while (head != Task::closed());
  pools_.edges.free(submission_caches_.edges, block);
  return nullptr;
}

void TaskGraph::stop_hearing(EdgeBlock* block) {
  const LockGuard lock(submission_mutex_);
  pools_.edges.free(submission_caches_.edges, block);
}

void TaskGraph::unlink(Task& task, const Edge& edge) {
  Edge* before = task.successors.load(std::memory_order_relaxed);
  if (before == &edge) {
    task.successors.store(edge.next_edge(), std::memory_order_relaxed);
    return;
  }
  while (before->next_edge() != &edge) before = before->next_edge();
  before->link(edge.next_edge());
}

Result<void> TaskGraph::wait_holding(Result<void> (TaskGraph::*check)(), Result<void> (TaskGraph::*wait)()) {
  Result<void> ends = (this->*check)();
  if (!ends) return ends;
  // While this thread waits, other threads may submit tasks that wait for data of this thread. The wait then has to
  // fail.
  WaitInterrupt* const outer = WaitInterrupt::here();
  const std::function<bool()> gives_up = [&] {
    ends = (this->*check)();
    return !ends || (outer != nullptr && outer->gives_up());
  };
  const WaitInterrupt watch(gives_up);
  const Result<void> ended = (this->*wait)();
  return ends ? ended : ends;
}

Result<void> TaskGraph::wait_all(FailureLog::Summary what) {
  if (nesting_task_here() != nullptr) return wait_for_children_here();
  const Result<void> ended = threads_.holds.any_here()
                                 ? wait_holding(&TaskGraph::check_may_wait_for_all, &TaskGraph::wait_until_ended)
                                 : wait_until_ended();
  if (!ended) return ended;
  bring_all_home();
  if (auto summary = failures_.take_summary(what)) return std::move(*summary);
  return {};
}

void TaskGraph::bring_all_home() {
  const Uncancellable uncancellable;
  if (auto home = host_.bring_all_home(*this); !home) failures_.add(home.failure());
}

Result<void> TaskGraph::wait_until_ended() {
  const Uncancellable uncancellable;
  if (auto allowed = check_wait(); !allowed) return allowed;
  waiting_.for_all.fetch_add(1, std::memory_order_seq_cst);
  Result<void> outcome;
  // The loop repeats because, during the wait, tasks may submit further tasks that reduce.
  while (outcome && combine_open_reductions()) outcome = wait_for_tasks();
  waiting_.for_all.fetch_sub(1, std::memory_order_seq_cst);
  return outcome;
}

bool TaskGraph::combine_open_reductions() {
  TaskList ready;
  {
    const LockGuard lock(submission_mutex_);
    if (data_.open_reductions.empty() && in_flight() == 0) return false;
    close_reductions(ready);
  }
  if (!ready.empty()) host_.activate(ready, WorkerId{});
  return true;
}

Result<void> TaskGraph::wait_for_tasks() {
  while (in_flight() != 0) {
    const GraphHost::Pump pumped = host_.pump();
    if (pumped == GraphHost::Pump::exhausted) {
      return Failure{ErrorCode::invalid_argument, "this wait would never end: tasks need data that this program holds"};
    }
    if (pumped == GraphHost::Pump::block) {
      const WaitingThreads::Note note(threads_.waiting, WaitKind::everything);
      const auto ended = [&] { return in_flight() == 0; };
      bool gave_up = false;
      block_outside(threads_.holds.any_here(), ended, [&] {
        UniqueLock lock(waiting_.mutex);
        gave_up = !wait_until(lock, waiting_.changed, ended, WaitInterrupt::here());
      });
      if (gave_up) return gave_up_waiting();
    }
  }
  return {};
}

Result<void> TaskGraph::wait_for_room() {
  if (has_room() || ExecutionScope::find(this) != nullptr) return {};
  if (!threads_.holds.any_here()) return wait_until_room();
  return wait_holding(&TaskGraph::check_may_wait_for_room, &TaskGraph::wait_until_room);
}

Result<void> TaskGraph::wait_until_room() {
  const Uncancellable uncancellable;
  // Some of the tasks may wait for what this thread holds, so that fewer would never be in flight.
  const bool holds = threads_.holds.any_here();
  const std::uint64_t most = holds ? options_.window - 1 : low_water();
  waiting_.for_room.fetch_add(1, std::memory_order_seq_cst);
  waiting_.for_one_place.fetch_add(holds ? 1 : 0, std::memory_order_seq_cst);
  Result<void> outcome;
  while (!has_room() && !stopped_.load(std::memory_order_relaxed)) {
    const GraphHost::Pump pumped = host_.pump();
    if (pumped == GraphHost::Pump::exhausted) {
      outcome = Failure{ErrorCode::invalid_argument,
                        "the submission window is full of tasks that need data that this program holds"};
      break;
    }
    if (pumped == GraphHost::Pump::block) {
      const WaitingThreads::Note note(threads_.waiting, WaitKind::room);
      const auto fits = [&] { return in_flight() <= most || stopped_.load(std::memory_order_relaxed); };
      const auto has_room = [&] {
        const bool ends = fits();
        if (holds && ends) threads_.holds.wait_for_room(false);
        return ends;
      };
      bool gave_up = false;
      block_outside(holds, fits, [&] {
        UniqueLock lock(waiting_.mutex);
        if (holds) threads_.holds.wait_for_room(true);
        gave_up = !wait_until(lock, waiting_.changed, has_room, WaitInterrupt::here());
      });
      if (gave_up) {
        if (holds) threads_.holds.wait_for_room(false);
        outcome = gave_up_waiting();
        break;
      }
    }
  }
  waiting_.for_one_place.fetch_sub(holds ? 1 : 0, std::memory_order_seq_cst);
  waiting_.for_room.fetch_sub(1, std::memory_order_seq_cst);
  return outcome;
}

TaskStatus TaskGraph::status(const Future& future) const {
  if (future.task() == nullptr) return TaskStatus::pending;  // a task of a recording
  const std::uint64_t id = future.id().value();
  // The memory may belong to another task by now. Acquire: if the loaded status is the other task's, the load below
  // sees the other task's id.
  const TaskStatus status = future.task()->status.load(std::memory_order_acquire);
  if (future.task()->id.load(std::memory_order_acquire) == id) return status;
  return failures_.status_of(future.id());
}

void TaskGraph::cancel(const Future& future) {
  if (future.task() == nullptr || threads_.home.left()) return;  // a task of a recording, or of another process
  const LockGuard lock(submission_mutex_);
  if (future.task()->id.load(std::memory_order_relaxed) != future.id().value()) return;
  // If another reason was set earlier, that reason stays.
  for (Withdrawal before : {Withdrawal::none, Withdrawal::limited}) {
    future.task()->withdrawn.compare_exchange_strong(before, Withdrawal::by_program, std::memory_order_relaxed);
  }
  if (Domain* const own = future.task()->own_domain()) cancel_children(*own);
}

void TaskGraph::cancel_all(std::string why) {
  if (threads_.home.left()) return;
  const LockGuard lock(submission_mutex_);
  {
    const LockGuard reason_lock(cancelled_.mutex);
    cancelled_.why = std::move(why);
  }
  // The release store pairs with the acquire loads in `is_plain` and `why_withdrawn`, although these loads need only
  // the number itself.
  cancelled_.below.store(ids_.next.load(std::memory_order_relaxed), std::memory_order_release);
  // Tasks that the kernels of cancelled nested tasks submit from now on must not begin either.
  if (nesting_.any.load(std::memory_order_relaxed)) nesting_.any_cancelled.store(true, std::memory_order_relaxed);
}

Result<void> TaskGraph::stop_submissions() {
  if (auto allowed = check_wait(); !allowed) return allowed;
  {
    // A submission that already has the lock comes before the stop; all later submissions fail.
    const LockGuard lock(submission_mutex_);
    stopped_.store(true, std::memory_order_seq_cst);
  }
  const LockGuard lock(waiting_.mutex);
  waiting_.changed.notify_all();
  return {};
}

Progress TaskGraph::progress() const {
  // The number of ended tasks is read first: in the other order it could be larger than the number of submitted tasks.
  const std::uint64_t ended = workers_.completed.total();
  return {window_.submitted.load(std::memory_order_seq_cst), ended};
}

std::uint64_t TaskGraph::in_flight() const {
  const Progress now = progress();
  return now.submitted - now.ended;
}

bool TaskGraph::has_room() {
  if (surely_has_room()) return true;
  const std::uint64_t submitted = window_.submitted.load(std::memory_order_relaxed);
  const std::uint64_t ended = workers_.completed.total();
  window_.ended_at_least.store(ended, std::memory_order_relaxed);
  return submitted - ended < options_.window;
}

}  // namespace troupe::graph
