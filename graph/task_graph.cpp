/// The functions of the task graph for waiting, cancelling and progress. The functions for data, submission and
/// completion are in other files.
#include "graph/task_graph.hpp"

#include <algorithm>
#include <utility>

#include "graph/cancellation.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/here.hpp"
#include "graph/ordering.hpp"
#include "graph/submission_checks.hpp"
#include "graph/tasks/calling_thread.hpp"
#include "graph/tasks/interruptible_wait.hpp"
#include "graph/tasks/uncancellable.hpp"

namespace troupe::graph {

namespace {

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

TaskGraph::TaskGraph(const GraphOptions& options, GraphHost& host) : state_(options, host, *this) {}

TaskGraph::~TaskGraph() = default;

Result<void> TaskGraph::block(TaskWaiter& waiter, WaitInterrupt* interrupt) {
  while (!waiter.done()) {
    switch (state_.host.pump()) {
      case GraphHost::Pump::block: {
        bool gave_up = false;
        block_outside(
            state_.threads.holds.any_here(), [&] { return waiter.done(); }, [&] { gave_up = !waiter.wait(interrupt); });
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
  if (nesting_task_here(state_) != nullptr) return wait_for_child(future);
  if (auto allowed = check_wait(state_); !allowed) return allowed;
  if (future.task() == nullptr) {
    return recorded_task_waited_for();
  }
  if (auto ends = check_may_wait(future); !ends) return ends;
  TaskWaiter waiter;
  if (EdgeBlock* const block_of_edge = hear_of_end(future, waiter)) {
    const WaitingThreads::Note note(state_.threads.waiting, WaitKind::task, future.id());
    const Result<void> waited = block(waiter, nullptr);
    if (!waited) unlink(*future.task(), block_of_edge->edges[0]);
    stop_hearing(block_of_edge);
    if (!waited) return waited;
  }
  if (status(future) == TaskStatus::succeeded) return {};
  return state_.failures.failure_of(future.id());
}

EdgeBlock* TaskGraph::hear_of_end(const Future& future, TaskWaiter& waiter) {
  const LockGuard lock(state_.submission_mutex);
  Task& task = *future.task();
  if (task.id.load(std::memory_order_relaxed) != future.id().value()) return nullptr;
  Edge* head = task.successors.load(std::memory_order_acquire);
  if (head == Task::closed()) return nullptr;
  // The edge is not on the stack, because `inspect` may still be at the edge when this wait has ended.
  EdgeBlock* const block = state_.memory.edges.allocate(state_.submission_caches.edges);
  Edge& edge = block->edges[0];
  edge.set(&waiter, Edge::waiter);
  do {
    edge.link(head);
    // The release order publishes the edge to the worker that completes the task (acquire exchange in `free`).
    if (task.successors.compare_exchange_weak(head, &edge, std::memory_order_release, std::memory_order_acquire)) {
      return block;
    }
  } while (head != Task::closed());
  state_.memory.edges.free(state_.submission_caches.edges, block);
  return nullptr;
}

void TaskGraph::stop_hearing(EdgeBlock* block) {
  const LockGuard lock(state_.submission_mutex);
  state_.memory.edges.free(state_.submission_caches.edges, block);
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
  if (nesting_task_here(state_) != nullptr) return wait_for_children_here();
  const Result<void> ended = state_.threads.holds.any_here()
                                 ? wait_holding(&TaskGraph::check_may_wait_for_all, &TaskGraph::wait_until_ended)
                                 : wait_until_ended();
  if (!ended) return ended;
  bring_all_home();
  if (auto summary = state_.failures.take_summary(what)) return std::move(*summary);
  return {};
}

void TaskGraph::bring_all_home() {
  const Uncancellable uncancellable;
  if (auto home = state_.host.bring_all_home(*this); !home) state_.failures.add(home.failure());
}

Result<void> TaskGraph::wait_until_ended() {
  const Uncancellable uncancellable;
  if (auto allowed = check_wait(state_); !allowed) return allowed;
  state_.waiting.for_all.fetch_add(1, std::memory_order_seq_cst);
  Result<void> outcome;
  // The loop repeats because, during the wait, tasks may submit further tasks that reduce.
  while (outcome && combine_open_reductions()) outcome = wait_for_tasks();
  state_.waiting.for_all.fetch_sub(1, std::memory_order_seq_cst);
  return outcome;
}

bool TaskGraph::combine_open_reductions() {
  TaskList ready;
  {
    const LockGuard lock(state_.submission_mutex);
    if (state_.data.open_reductions.empty() && state_.window.in_flight() == 0) return false;
    close_reductions(state_, ready);
  }
  if (!ready.empty()) state_.host.activate(ready, WorkerId{});
  return true;
}

Result<void> TaskGraph::wait_for_tasks() {
  while (state_.window.in_flight() != 0) {
    const GraphHost::Pump pumped = state_.host.pump();
    if (pumped == GraphHost::Pump::exhausted) {
      return Failure{ErrorCode::invalid_argument, "this wait would never end: tasks need data that this program holds"};
    }
    if (pumped == GraphHost::Pump::block) {
      const WaitingThreads::Note note(state_.threads.waiting, WaitKind::everything);
      const auto ended = [&] { return state_.window.in_flight() == 0; };
      bool gave_up = false;
      block_outside(state_.threads.holds.any_here(), ended, [&] {
        UniqueLock lock(state_.waiting.mutex);
        gave_up = !wait_until(lock, state_.waiting.changed, ended, WaitInterrupt::here());
      });
      if (gave_up) return gave_up_waiting();
    }
  }
  return {};
}

Result<void> TaskGraph::wait_for_room() {
  if (state_.window.has_room() || ExecutionScope::find(this) != nullptr) return {};
  if (!state_.threads.holds.any_here()) return wait_until_room();
  return wait_holding(&TaskGraph::check_may_wait_for_room, &TaskGraph::wait_until_room);
}

Result<void> TaskGraph::wait_until_room() {
  const Uncancellable uncancellable;
  // Some of the tasks may wait for what this thread holds, so that fewer would never be in flight.
  const bool holds = state_.threads.holds.any_here();
  const std::uint64_t most = holds ? state_.options.window - 1 : state_.window.low_water();
  state_.waiting.for_room.fetch_add(1, std::memory_order_seq_cst);
  state_.waiting.for_one_place.fetch_add(holds ? 1 : 0, std::memory_order_seq_cst);
  Result<void> outcome;
  while (!state_.window.has_room() && !state_.stopped.load(std::memory_order_relaxed)) {
    const GraphHost::Pump pumped = state_.host.pump();
    if (pumped == GraphHost::Pump::exhausted) {
      outcome = Failure{ErrorCode::invalid_argument,
                        "the submission window is full of tasks that need data that this program holds"};
      break;
    }
    if (pumped == GraphHost::Pump::block) {
      const WaitingThreads::Note note(state_.threads.waiting, WaitKind::room);
      const auto fits = [&] {
        return state_.window.in_flight() <= most || state_.stopped.load(std::memory_order_relaxed);
      };
      const auto has_room = [&] {
        const bool ends = fits();
        if (holds && ends) state_.threads.holds.wait_for_room(false);
        return ends;
      };
      bool gave_up = false;
      block_outside(holds, fits, [&] {
        UniqueLock lock(state_.waiting.mutex);
        if (holds) state_.threads.holds.wait_for_room(true);
        gave_up = !wait_until(lock, state_.waiting.changed, has_room, WaitInterrupt::here());
      });
      if (gave_up) {
        if (holds) state_.threads.holds.wait_for_room(false);
        outcome = gave_up_waiting();
        break;
      }
    }
  }
  state_.waiting.for_one_place.fetch_sub(holds ? 1 : 0, std::memory_order_seq_cst);
  state_.waiting.for_room.fetch_sub(1, std::memory_order_seq_cst);
  return outcome;
}

TaskStatus TaskGraph::status(const Future& future) const {
  if (future.task() == nullptr) return TaskStatus::pending;  // a task of a recording
  const std::uint64_t id = future.id().value();
  // The memory may belong to another task by now. Acquire: if the loaded status is the other task's, the load below
  // sees the other task's id.
  const TaskStatus status = future.task()->status.load(std::memory_order_acquire);
  if (future.task()->id.load(std::memory_order_acquire) == id) return status;
  return state_.failures.status_of(future.id());
}

bool TaskGraph::tell_if_cancelled(const Task& task) const noexcept { return graph::tell_if_cancelled(state_, task); }

void TaskGraph::cancel(const Future& future) {
  if (future.task() == nullptr || state_.threads.home.left()) return;  // a task of a recording, or of another process
  const LockGuard lock(state_.submission_mutex);
  if (future.task()->id.load(std::memory_order_relaxed) != future.id().value()) return;
  // If another reason was set earlier, that reason stays.
  for (Withdrawal before : {Withdrawal::none, Withdrawal::limited}) {
    future.task()->withdrawn.compare_exchange_strong(before, Withdrawal::by_program, std::memory_order_relaxed);
  }
  if (Domain* const own = future.task()->own_domain()) cancel_children(state_, *own);
}

void TaskGraph::cancel_all(std::string why) {
  if (state_.threads.home.left()) return;
  const LockGuard lock(state_.submission_mutex);
  state_.cancelled.cancel_below(state_.ids.next(), std::move(why));
  // Tasks that the kernels of cancelled nested tasks submit from now on must not begin either.
  if (state_.nesting.any.load(std::memory_order_relaxed))
    state_.nesting.any_cancelled.store(true, std::memory_order_relaxed);
}

Result<void> TaskGraph::stop_submissions() {
  if (auto allowed = check_wait(state_); !allowed) return allowed;
  {
    // A submission that already has the lock comes before the stop; all later submissions fail.
    const LockGuard lock(state_.submission_mutex);
    state_.stopped.store(true, std::memory_order_seq_cst);
  }
  state_.waiting.wake();
  return {};
}

Progress TaskGraph::progress() const { return state_.window.progress(); }

}  // namespace troupe::graph
