/// What one worker did when.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

#include "graph/tasks/trace_log.hpp"
#include "proto/ids.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"
#include "proto/units.hpp"
#include "proto/worker_state.hpp"

namespace troupe {
struct CodeletDefinition;
}

namespace troupe::workers {

/// One task that was run.
struct TaskSpan {
  /// Lives as long as the runtime.
  const CodeletDefinition* codelet = nullptr;
  TaskId task;
  TimeStamp start{};
  TimeStamp end{};
  /// Floating-point operations; 0 where the codelet does not say.
  double flops = 0;
  std::int32_t priority = 0;
  bool failed = false;
  /// That the worker has: more than 1 for a cluster.
  std::uint16_t cores = 1;
  /// The time in which they computed, added up, see `TeamUse`. Negative: a single core, or it is not known.
  Duration used = Duration(-1);
};

/// The worker was in this state, which is never `working`: that is the rest of the time.
struct StateSpan {
  WorkerActivity state = WorkerActivity::working;
  TimeStamp start{};
  TimeStamp end{};
  /// Of `helping`: the task.
  TaskId task = {};
};

struct NamedTask {
  TaskId task;
  std::string name;
};

/// Appended to by the worker, taken by any thread at any time. Nothing here fails: what finds no room is counted and
/// lost. Outlives the worker's actor, as a part of its port.
class WorkerTrace {
 public:
  struct Content {
    graph::TraceLog<TaskSpan> tasks;
    graph::TraceLog<StateSpan> states;
    /// Those of the tasks that have a name.
    std::deque<NamedTask> names;
    /// When the first task or state began that found no room; the end of time where there is none.
    TimeStamp complete_until = TimeStamp::max();
  };

  /// Before the first entry.
  void use(graph::TraceBudget* budget) noexcept {
    const LockGuard lock(lock_);
    tasks_.use(budget);
    states_.use(budget);
  }

  /// By the worker.
  void ran(const TaskSpan& span, const std::string* name) noexcept;
  /// By the worker: from now on it is in this state. `task`: which it helps with, if it does.
  void enter(WorkerActivity state, TimeStamp now, TaskId task = {}) noexcept;
  /// By the worker.
  [[nodiscard]] WorkerActivity state() const noexcept { return state_; }

  /// Takes out what has been recorded. The state that the worker is in is cut at `now`.
  [[nodiscard]] Content take(TimeStamp now);

 private:
  void lost(TimeStamp start) noexcept TROUPE_REQUIRES(lock_) { complete_until_ = std::min(complete_until_, start); }
  void close_state(TimeStamp now) noexcept TROUPE_REQUIRES(lock_);

  /// Contended only by `take`.
  SpinLock lock_;
  graph::TraceLog<TaskSpan> tasks_ TROUPE_GUARDED_BY(lock_);
  graph::TraceLog<StateSpan> states_ TROUPE_GUARDED_BY(lock_);
  std::deque<NamedTask> names_ TROUPE_GUARDED_BY(lock_);
  TimeStamp complete_until_ TROUPE_GUARDED_BY(lock_) = TimeStamp::max();
  /// Written by the worker with the lock, so that the worker may read it without.
  WorkerActivity state_ = WorkerActivity::working;
  TaskId helped_ TROUPE_GUARDED_BY(lock_);
  TimeStamp since_ TROUPE_GUARDED_BY(lock_){};
};

}  // namespace troupe::workers
