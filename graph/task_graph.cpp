/// The functions of the task graph that threads of the program call, besides those for data: waits, cancellation,
/// recordings, coroutines.
#include "graph/task_graph.hpp"

#include <utility>

#include "graph/here.hpp"
#include "graph/holds/hold_checks.hpp"
#include "graph/holds/holds.hpp"
#include "graph/holds/repartition.hpp"
#include "graph/holds/waits.hpp"
#include "graph/nesting/calls.hpp"
#include "graph/nesting/kernel_waits.hpp"
#include "graph/new_tasks.hpp"
#include "graph/recordings.hpp"
#include "graph/submission_checks.hpp"
#include "graph/tasks/uncancellable.hpp"

namespace troupe::graph {

namespace {

/// Returns the domain of the nested task in which the coroutine was started whose section the calling thread runs;
/// null if there is none.
Domain* domain_of_coroutine(const GraphState& graph) {
  const Task* section = nesting_task_here(graph);
  if (section == nullptr) return nullptr;
  // A section that follows another one belongs to it.
  Domain* around = section->outer_domain();
  while (around != nullptr && graph.own_codelets.is_section(around->parent)) {
    around = around->parent.outer_domain();
  }
  return around;
}

}  // namespace

TaskGraph::TaskGraph(const GraphOptions& options, GraphHost& host) : state_(options, host, *this) {}

TaskGraph::~TaskGraph() = default;

Result<void> TaskGraph::wait(const Future& future) {
  const Uncancellable uncancellable;
  return nesting_task_here(state_) != nullptr ? wait_for_child(state_, future) : wait_for_task(state_, future);
}

Result<void> TaskGraph::wait_all(FailureLog::Summary what) {
  if (nesting_task_here(state_) != nullptr) return wait_for_children_here(state_);
  const Result<void> ended = wait_for_all(state_);
  if (!ended) return ended;
  bring_all_home();
  if (auto summary = state_.failures.take_summary(what)) return std::move(*summary);
  return {};
}

void TaskGraph::bring_all_home() {
  const Uncancellable uncancellable;
  if (auto home = state_.host.bring_all_home(*this); !home) state_.failures.add(home.failure());
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
    state_.gate.stopped.store(true, std::memory_order_seq_cst);
  }
  state_.waiting.wake();
  return {};
}

Progress TaskGraph::progress() const { return state_.window.progress(); }

TaskStatus TaskGraph::status(const Future& future) const { return status_of(state_, future); }

Result<void> TaskGraph::wait_until_ended() { return graph::wait_until_ended(state_); }

bool TaskGraph::combine_open_reductions() { return graph::combine_open_reductions(state_); }

Result<void> TaskGraph::check_may_wait(const Future& future) { return graph::check_may_wait(state_, future); }

void TaskGraph::worker_is_idle(WorkerId worker) {
  state_.workers.completed.publish(worker.index());
  state_.waiting.notify(state_.window);
}

Result<std::unique_ptr<RecordingScope>> TaskGraph::begin_recording(Recording& recording) {
  return graph::begin_recording(state_, recording);
}

void TaskGraph::seal_recording(Recording& recording) { graph::seal_recording(state_, recording); }

Result<Future> TaskGraph::replay(const std::shared_ptr<Recording>& recording, std::span<const Rebinding> rebindings,
                                 std::uint64_t tag) {
  return graph::replay(state_, recording, rebindings, tag);
}

void TaskGraph::give_back(Task* hold) { graph::give_back(state_, hold); }

Result<std::vector<Handle>> TaskGraph::repartition(const Handle& parent, std::span<const Block> blocks) {
  return graph::repartition(state_, parent, blocks);
}

void TaskGraph::block_in_kernel(WorkerId worker, const Task& task, BlockingWait& wait) const {
  graph::block_in_kernel(state_, worker, task, wait);
}

CallPlace TaskGraph::call_place() const { return graph::call_place(state_); }

Result<void> TaskGraph::end_call(CallPlace& place, std::uint64_t got) { return graph::end_call(state_, place, got); }

Result<void> TaskGraph::outcome(const Future& future) {
  if (status_of(state_, future) == TaskStatus::succeeded) return {};
  return state_.failures.failure_of(future.id());
}

Result<void> TaskGraph::resume_after(const Future& future, std::coroutine_handle<> waiting) {
  if (!state_.options.nesting.calls) return resumes_nothing();
  if (state_.options.shares_workers) {
    if (auto inside = check_inside_nested(); !inside) return inside;
  }
  Arguments arguments;
  arguments.append(waiting.address());
  static const TaskOptions defaults;
  TaskSpecification specification{state_.own_codelets.resume, {}, arguments, defaults};
  if (future.valid() && future.task() == nullptr) return recorded_task_waited_for();
  specification.resumes_after = &future;
  const auto submitted = submit(specification);
  if (!submitted) return submitted.failure();
  return {};
}

Result<Future> TaskGraph::begin_coroutine() {
  if (auto here = state_.threads.home.check(); !here) return here.failure();
  const LockGuard lock(state_.submission_mutex);
  Task& end = allocate_task(state_, nullptr, 0);
  end.role = TaskRole::host;
  end.extras = std::make_unique<TaskExtras>();
  end.extras->name = "end";
  if (const Task* const here = nesting_task_here(state_)) end.extras->begun_in = here->task_id().value();
  end.has_more = true;
  end.pending.store(0, std::memory_order_relaxed);
  return Future(this, &end, end.task_id());
}

void TaskGraph::end_coroutine(const Future& end, std::optional<Failure> failure) {
  if (state_.threads.home.left()) return;
  FailureLog::Cause cause;
  if (failure) cause = std::make_shared<Failure>(*std::move(failure));
  const TaskStatus status = cause == nullptr ? TaskStatus::succeeded : TaskStatus::failed;
  if (cause != nullptr) {
    if (Domain* const around = domain_of_coroutine(state_)) around->note({status, cause, cause});
  }
  end_outside(state_, [&](std::size_t slot, TaskList& ready) {
    finish_task(state_, *end.task(), {status, cause, cause, slot, WorkerId{}}, ready);
  });
}

}  // namespace troupe::graph
