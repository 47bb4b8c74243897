/// Worker trace: the tasks and the states of one worker, with their times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/tasks/trace_log.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"
#include "troupe/ids.hpp"
#include "troupe/trace.hpp"
#include "troupe/units.hpp"

namespace troupe {
struct CodeletDefinition;
}

namespace troupe::graph {
struct Task;
}

namespace troupe::workers {

/// One task that was run.
struct TaskSpan {
  /// The codelet lives as long as the runtime.
  const CodeletDefinition* codelet = nullptr;
  TaskId task;
  TimeStamp start{};
  TimeStamp end{};
  /// The number of floating-point operations; 0 if the codelet does not give the number.
  double flops = 0;
  std::int32_t priority = 0;
  bool failed = false;
  /// The number of the worker's cores: more than 1 for a cluster.
  std::uint16_t cores = 1;
  /// The sum of the times in which the worker's cores computed, see `TeamUse`. Negative for a single core, or if the
  /// sum is not known.
  Duration used = Duration(-1);
  /// The time in which the kernel waited for children.
  Duration waited{};
};

/// A time span in which the worker was in `state`. The state `working` is not recorded: the worker works at all other
/// times.
struct StateSpan {
  WorkerActivity state = WorkerActivity::working;
  TimeStamp start{};
  TimeStamp end{};
  /// The task that the worker helps with, in the state `helping`.
  TaskId task = {};
};

struct NamedTask {
  TaskId task;
  std::string name;
};

/// A task that belongs to a nested task, see `TraceEvent`.
struct ChildTask {
  TaskId task;
  TaskId parent;
  TimeStamp submitted{};
};

/// The worker adds entries, and any thread may take the entries at any time. No addition fails: an entry that finds no
/// room is lost, and `Content::complete_until` shows this. The trace is in the worker's port, which outlives the
/// worker's actor.
class WorkerTrace {
 public:
  struct Content {
    graph::TraceLog<TaskSpan> tasks;
    graph::TraceLog<StateSpan> states;
    /// The names of the tasks that have a name.
    std::deque<NamedTask> names;
    /// The tasks that belong to nested tasks.
    graph::TraceLog<ChildTask> children;
    /// The waits in kernels for children.
    graph::TraceLog<TraceWait> waits;
    /// The start of the first entry that found no room; `TimeStamp::max()` if there is none.
    TimeStamp complete_until = TimeStamp::max();
  };

  /// Sets the budget, which bounds the number of entries. Must be called before the first entry.
  void use(graph::TraceBudget* budget) noexcept {
    const LockGuard lock(lock_);
    tasks_.use(budget);
    states_.use(budget);
    children_.use(budget);
    waits_.use(budget);
  }

  /// Adds a task that has run, with its name and its parent. Called by the worker.
  void ran(const TaskSpan& span, const graph::Task& task) noexcept;
  /// Adds a task that has run. `name` and `child` are null if the task has no name, or no parent.
  void ran(const TaskSpan& span, const std::string* name, const ChildTask* child = nullptr) noexcept;
  /// Adds a wait in a kernel, which has ended. Called by the worker.
  void waited(const TraceWait& wait) noexcept;
  /// Called by the worker when it enters a state. `task` is the task with which the worker helps, if any.
  void enter(WorkerActivity state, TimeStamp now, TaskId task = {}) noexcept;
  /// Returns the present state. Called by the worker.
  [[nodiscard]] WorkerActivity state() const noexcept { return state_; }

  /// Removes the recorded entries and returns them. The worker's present state is recorded up to `now`.
  [[nodiscard]] Content take(TimeStamp now);

 private:
  void lost(TimeStamp start) noexcept TROUPE_REQUIRES(lock_) { complete_until_ = std::min(complete_until_, start); }
  void close_state(TimeStamp now) noexcept TROUPE_REQUIRES(lock_);

  /// The worker waits for this lock only while another thread calls `take`.
  SpinLock lock_;
  graph::TraceLog<TaskSpan> tasks_ TROUPE_GUARDED_BY(lock_);
  graph::TraceLog<StateSpan> states_ TROUPE_GUARDED_BY(lock_);
  std::deque<NamedTask> names_ TROUPE_GUARDED_BY(lock_);
  graph::TraceLog<ChildTask> children_ TROUPE_GUARDED_BY(lock_);
  graph::TraceLog<TraceWait> waits_ TROUPE_GUARDED_BY(lock_);
  TimeStamp complete_until_ TROUPE_GUARDED_BY(lock_) = TimeStamp::max();
  /// The worker writes the state with the lock held, so only the worker may read the state without the lock.
  WorkerActivity state_ = WorkerActivity::working;
  TaskId helped_ TROUPE_GUARDED_BY(lock_);
  TimeStamp since_ TROUPE_GUARDED_BY(lock_){};
};

}  // namespace troupe::workers
