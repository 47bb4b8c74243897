/// The functions of the task graph for coroutines.
#include "graph/codelets/execution_scope.hpp"
#include "graph/completion.hpp"
#include "graph/data/domain.hpp"
#include "graph/here.hpp"
#include "graph/holds/waits.hpp"
#include "graph/new_tasks.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

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

Domain* TaskGraph::domain_of_coroutine() const {
  const Task* section = nesting_task_here(state_);
  if (section == nullptr) return nullptr;
  // A section that follows another one belongs to it.
  Domain* around = section->outer_domain();
  while (around != nullptr && state_.own_codelets.is_section(around->parent)) {
    around = around->parent.outer_domain();
  }
  return around;
}

void TaskGraph::end_coroutine(const Future& end, std::optional<Failure> failure) {
  if (state_.threads.home.left()) return;
  FailureLog::Cause cause;
  if (failure) cause = std::make_shared<Failure>(*std::move(failure));
  const TaskStatus status = cause == nullptr ? TaskStatus::succeeded : TaskStatus::failed;
  if (cause != nullptr) {
    if (Domain* const around = domain_of_coroutine()) around->note({status, cause, cause});
  }
  end_outside(state_, [&](std::size_t slot, TaskList& ready) {
    finish_task(state_, *end.task(), {status, cause, cause, slot, WorkerId{}}, ready);
  });
}

}  // namespace troupe::graph
