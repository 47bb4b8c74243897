/// The dependencies between tasks, recorded for traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "graph/tasks/trace_log.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::graph {

/// Says that `after` could not start before `before` had ended. `whole` is true if `after` waited for the children of
/// `before`, too.
struct DependencyEntry {
  TaskId after;
  std::uint64_t before : 63;
  std::uint64_t whole : 1;
};
static_assert(sizeof(DependencyEntry) == 16);

/// The dependencies of one graph. A dependency that made a task wait is recorded by the worker that completes the
/// predecessor; a dependency on a task that had ended before is recorded by the submission. The graph forgets ended
/// tasks in two cases, so dependencies on them may be missing: on readers that ended before the next writer was
/// submitted, if data have more than 65,536 readers (or commuting or reducing tasks); and on ended predecessors of a
/// commuting task, if it has more than 1024 predecessors. The same pair may be recorded more than once.
///
/// There is a slot for each worker, one for completions by other threads, and one for submissions. Each slot has one
/// writer at a time. Any thread may take the entries of all slots at any time.
class DependencyTrace {
 public:
  /// `clock` returns the trace's time.
  DependencyTrace(std::size_t workers, TraceBudget& budget, std::function<TimeStamp()> clock = nullptr)
      : clock_(std::move(clock)), slots_(workers + 2) {
    for (Slot& slot : slots_) slot.log.use(&budget);
  }

  /// Returns the time to note for a task that is submitted now; zero without a clock.
  [[nodiscard]] TimeStamp now() const { return clock_ ? clock_() : TimeStamp{}; }
  /// Records a dependency on a task that ends now. `slot` is the index of the completing worker, or the number of
  /// workers if another thread completes the task. `whole` is true if `before` is a nested task whose children have
  /// ended, too.
  void released(std::size_t slot, TaskId before, TaskId after, bool whole = false) noexcept {
    add(slots_[slot], {after, before.value(), whole});
  }
  /// Records a dependency on a task that had ended before `after` was submitted. Called under the submission lock.
  void had_ended(TaskId before, TaskId after, bool whole = false) noexcept {
    add(slots_.back(), {after, before.value(), whole});
  }

  /// Returns and removes what has been recorded, as one log per slot.
  [[nodiscard]] std::vector<TraceLog<DependencyEntry>> take() {
    std::vector<TraceLog<DependencyEntry>> logs;
    logs.reserve(slots_.size());
    for (Slot& slot : slots_) {
      const LockGuard lock(slot.lock);
      logs.push_back(std::move(slot.log));
    }
    return logs;
  }

 private:
  struct alignas(64) Slot {
    /// Protects the log against `take`, which another thread may call.
    SpinLock lock;
    TraceLog<DependencyEntry> log TROUPE_GUARDED_BY(lock);
  };

  static void add(Slot& slot, DependencyEntry entry) noexcept {
    const LockGuard lock(slot.lock);
    slot.log.add(entry);
  }

  const std::function<TimeStamp()> clock_;
  std::vector<Slot> slots_;
};

}  // namespace troupe::graph
