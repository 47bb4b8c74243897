#include "graph/holds/waits.hpp"

#include <functional>

#include "graph/codelets/execution_scope.hpp"
#include "graph/here.hpp"
#include "graph/holds/hold_checks.hpp"
#include "graph/new_tasks.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
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

/// Removes an edge from the task's list, because the edge's thread gives up its wait. Only for single-threaded runs.
void unlink(Task& task, const Edge& edge) {
  Edge* before = task.successors.load(std::memory_order_relaxed);
  if (before == &edge) {
    task.successors.store(edge.next_edge(), std::memory_order_relaxed);
    return;
  }
  while (before->next_edge() != &edge) before = before->next_edge();
  before->link(edge.next_edge());
}

Result<void> wait_for_tasks(GraphState& graph) TROUPE_EXCLUDES(graph.submission_mutex) {
  while (graph.window.in_flight() != 0) {
    const GraphHost::Pump pumped = graph.host.pump();
    if (pumped == GraphHost::Pump::exhausted) {
      return Failure{ErrorCode::invalid_argument, "this wait would never end: tasks need data that this program holds"};
    }
    if (pumped == GraphHost::Pump::block) {
      const WaitingThreads::Note note(graph.threads.waiting, WaitKind::everything);
      const auto ended = [&] { return graph.window.in_flight() == 0; };
      bool gave_up = false;
      block_outside(graph.threads.holds.any_here(), ended, [&] {
        UniqueLock lock(graph.waiting.mutex);
        gave_up = !wait_until(lock, graph.waiting.changed, ended, WaitInterrupt::here());
      });
      if (gave_up) return gave_up_waiting();
    }
  }
  return {};
}

/// Waits in a thread that holds data. Fails once `check` fails because of tasks that wait for these data.
Result<void> wait_holding(GraphState& graph, Result<void> (*check)(GraphState&), Result<void> (*wait)(GraphState&))
    TROUPE_EXCLUDES(graph.submission_mutex) {
  Result<void> ends = check(graph);
  if (!ends) return ends;
  // While this thread waits, other threads may submit tasks that wait for data of this thread. The wait then has to
  // fail.
  WaitInterrupt* const outer = WaitInterrupt::here();
  const std::function<bool()> gives_up = [&] {
    ends = check(graph);
    return !ends || (outer != nullptr && outer->gives_up());
  };
  const WaitInterrupt watch(gives_up);
  const Result<void> ended = wait(graph);
  return ends ? ended : ends;
}

Result<void> wait_until_room(GraphState& graph) {
  const Uncancellable uncancellable;
  // Some of the tasks may wait for what this thread holds, so that fewer would never be in flight.
  const bool holds = graph.threads.holds.any_here();
  const std::uint64_t most = holds ? graph.options.window - 1 : graph.window.low_water();
  graph.waiting.for_room.fetch_add(1, std::memory_order_seq_cst);
  graph.waiting.for_one_place.fetch_add(holds ? 1 : 0, std::memory_order_seq_cst);
  Result<void> outcome;
  while (!graph.window.has_room() && !graph.gate.stopped.load(std::memory_order_relaxed)) {
    const GraphHost::Pump pumped = graph.host.pump();
    if (pumped == GraphHost::Pump::exhausted) {
      outcome = Failure{ErrorCode::invalid_argument,
                        "the submission window is full of tasks that need data that this program holds"};
      break;
    }
    if (pumped == GraphHost::Pump::block) {
      const WaitingThreads::Note note(graph.threads.waiting, WaitKind::room);
      const auto fits = [&] {
        return graph.window.in_flight() <= most || graph.gate.stopped.load(std::memory_order_relaxed);
      };
      const auto has_room = [&] {
        const bool ends = fits();
        if (holds && ends) graph.threads.holds.wait_for_room(false);
        return ends;
      };
      bool gave_up = false;
      block_outside(holds, fits, [&] {
        UniqueLock lock(graph.waiting.mutex);
        if (holds) graph.threads.holds.wait_for_room(true);
        gave_up = !wait_until(lock, graph.waiting.changed, has_room, WaitInterrupt::here());
      });
      if (gave_up) {
        if (holds) graph.threads.holds.wait_for_room(false);
        outcome = gave_up_waiting();
        break;
      }
    }
  }
  graph.waiting.for_one_place.fetch_sub(holds ? 1 : 0, std::memory_order_seq_cst);
  graph.waiting.for_room.fetch_sub(1, std::memory_order_seq_cst);
  return outcome;
}

}  // namespace

TaskStatus status_of(const GraphState& graph, const Future& future) {
  if (future.task() == nullptr) return TaskStatus::pending;  // a task of a recording
  const std::uint64_t id = future.id().value();
  // The memory may belong to another task by now. Acquire: if the loaded status is the other task's, the load below
  // sees the other task's id.
  const TaskStatus status = future.task()->status.load(std::memory_order_acquire);
  if (future.task()->id.load(std::memory_order_acquire) == id) return status;
  return graph.failures.status_of(future.id());
}

Result<void> block_until(GraphState& graph, TaskWaiter& waiter, WaitInterrupt* interrupt) {
  while (!waiter.done()) {
    switch (graph.host.pump()) {
      case GraphHost::Pump::block: {
        bool gave_up = false;
        block_outside(
            graph.threads.holds.any_here(), [&] { return waiter.done(); }, [&] { gave_up = !waiter.wait(interrupt); });
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

EdgeBlock* hear_of_end(GraphState& graph, const Future& future, TaskWaiter& waiter) {
  const LockGuard lock(graph.submission_mutex);
  Task& task = *future.task();
  if (task.id.load(std::memory_order_relaxed) != future.id().value()) return nullptr;
  Edge* head = task.successors.load(std::memory_order_acquire);
  if (head == Task::closed()) return nullptr;
  // The edge is not on the stack, because `inspect` may still be at the edge when this wait has ended.
  EdgeBlock* const block = graph.memory.edges.allocate(graph.submission_caches.edges);
  Edge& edge = block->edges[0];
  edge.set(&waiter, Edge::waiter);
  do {
    edge.link(head);
    // The release order publishes the edge to the worker that completes the task (acquire exchange in `free_task`).
    if (task.successors.compare_exchange_weak(head, &edge, std::memory_order_release, std::memory_order_acquire)) {
      return block;
    }
  } while (head != Task::closed());
  graph.memory.edges.free(graph.submission_caches.edges, block);
  return nullptr;
}

void stop_hearing(GraphState& graph, EdgeBlock* block) {
  const LockGuard lock(graph.submission_mutex);
  graph.memory.edges.free(graph.submission_caches.edges, block);
}

Result<void> wait_until_ended(GraphState& graph) {
  const Uncancellable uncancellable;
  if (auto allowed = check_wait(graph); !allowed) return allowed;
  graph.waiting.for_all.fetch_add(1, std::memory_order_seq_cst);
  Result<void> outcome;
  // The loop repeats because, during the wait, tasks may submit further tasks that reduce.
  while (outcome && combine_open_reductions(graph)) outcome = wait_for_tasks(graph);
  graph.waiting.for_all.fetch_sub(1, std::memory_order_seq_cst);
  return outcome;
}

bool combine_open_reductions(GraphState& graph) {
  TaskList ready;
  {
    const LockGuard lock(graph.submission_mutex);
    if (graph.data.open_reductions.empty() && graph.window.in_flight() == 0) return false;
    close_reductions(graph, ready);
  }
  activate(graph, ready);
  return true;
}

Result<void> wait_for_room(GraphState& graph) {
  if (graph.window.has_room() || ExecutionScope::find(&graph.self) != nullptr) return {};
  if (!graph.threads.holds.any_here()) return wait_until_room(graph);
  return wait_holding(graph, &check_may_wait_for_room, &wait_until_room);
}

Result<void> wait_for_all(GraphState& graph) {
  return graph.threads.holds.any_here() ? wait_holding(graph, &check_may_wait_for_all, &wait_until_ended)
                                        : wait_until_ended(graph);
}

Result<void> wait_for_task(GraphState& graph, const Future& future) {
  if (auto allowed = check_wait(graph); !allowed) return allowed;
  if (future.task() == nullptr) {
    return recorded_task_waited_for();
  }
  if (auto ends = check_may_wait(graph, future); !ends) return ends;
  TaskWaiter waiter;
  if (EdgeBlock* const block_of_edge = hear_of_end(graph, future, waiter)) {
    const WaitingThreads::Note note(graph.threads.waiting, WaitKind::task, future.id());
    const Result<void> waited = block_until(graph, waiter, nullptr);
    if (!waited) unlink(*future.task(), block_of_edge->edges[0]);
    stop_hearing(graph, block_of_edge);
    if (!waited) return waited;
  }
  if (status_of(graph, future) == TaskStatus::succeeded) return {};
  return graph.failures.failure_of(future.id());
}

}  // namespace troupe::graph
