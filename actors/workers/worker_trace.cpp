#include "actors/workers/worker_trace.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "graph/data/domain.hpp"
#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"

namespace troupe::workers {

void WorkerTrace::ran(const TaskSpan& span, const graph::Task& task) noexcept {
  const std::string* const name = task.extras ? &task.extras->name : nullptr;
  const graph::Domain* const outer = task.outer_domain();
  if (outer == nullptr) return ran(span, name);
  // If several clients share the workers, tasks do not store the time of their submission.
  const TimeStamp submitted(outer->client_graph == nullptr ? task.client.submitted : 0);
  const ChildTask child{span.task, TaskId(outer->id), submitted};
  ran(span, name, &child);
}

void WorkerTrace::ran(const TaskSpan& span, const std::string* name, const ChildTask* child) noexcept {
  const LockGuard lock(lock_);
  if (!tasks_.add(span)) return lost(span.start);
  if (child != nullptr && !children_.add(*child)) lost(span.start);
  if (name == nullptr || name->empty()) return;
  try {
    names_.push_back({span.task, *name});
  } catch (const std::bad_alloc&) {
    // The task is in the trace, but without its name.
  }
}

void WorkerTrace::waited(const TraceWait& wait) noexcept {
  const LockGuard lock(lock_);
  if (!waits_.add(wait)) lost(wait.start);
}

void WorkerTrace::close_state(TimeStamp now) noexcept {
  // Times are read before the lock is taken, so `take` may have cut the state at a later time.
  if (state_ != WorkerActivity::working && now > since_ && !states_.add({state_, since_, now, helped_})) lost(since_);
  since_ = std::max(since_, now);
}

void WorkerTrace::enter(WorkerActivity state, TimeStamp now, TaskId task) noexcept {
  const LockGuard lock(lock_);
  close_state(now);
  state_ = state;
  helped_ = task;
}

WorkerTrace::Content WorkerTrace::take(TimeStamp now) {
  const LockGuard lock(lock_);
  close_state(now);
  return {std::move(tasks_),    std::move(states_), std::exchange(names_, {}),
          std::move(children_), std::move(waits_),  std::exchange(complete_until_, TimeStamp::max())};
}

}  // namespace troupe::workers
