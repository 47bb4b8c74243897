/// The functions of the task graph for coroutines.
#include "graph/codelets/execution_scope.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

Result<void> TaskGraph::outcome(const Future& future) {
  if (status(future) == TaskStatus::succeeded) return {};
  return failures_.failure_of(future.id());
}

Result<void> TaskGraph::resume_after(const Future& future, std::coroutine_handle<> waiting) {
  if (!options_.nests) return resumes_nothing();
  Arguments arguments;
  arguments.append(waiting.address());
  static const TaskOptions defaults;
  TaskSpecification specification{own_codelets_.resume, {}, arguments, defaults};
  if (future.valid() && future.task() == nullptr) return recorded_task_waited_for();
  specification.resumes_after = &future;
  const auto submitted = submit(specification);
  if (!submitted) return submitted.failure();
  return {};
}

Result<Future> TaskGraph::begin_event(std::string name) {
  if (auto here = home_.check(); !here) return here.failure();
  const LockGuard lock(submission_mutex_);
  Task& event = allocate_task(nullptr, 0);
  event.role = TaskRole::host;
  event.extras = std::make_unique<TaskExtras>();
  event.extras->name = std::move(name);
  event.has_more = true;
  event.pending.store(0, std::memory_order_relaxed);
  return Future(this, &event, event.task_id());
}

void TaskGraph::end_event(const Future& event, std::optional<Failure> failure) {
  if (home_.left()) return;
  FailureLog::Cause cause;
  if (failure) cause = std::make_shared<Failure>(*std::move(failure));
  const TaskStatus status = cause == nullptr ? TaskStatus::succeeded : TaskStatus::failed;
  TaskList ready;
  {
    const LockGuard lock(outside_mutex_);
    finish(*event.task(), {status, cause, cause, completed_.outside(), WorkerId{}}, ready);
  }
  if (!ready.empty()) host_.activate(ready, WorkerId{});
}

}  // namespace troupe::graph
