/// The failures of a graph: nothing is lost silently, and a flood of failures takes little memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "proto/mutex.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

/// The log of one graph. Thread-safe. Not used on any path of a run without failures.
class FailureLog {
 public:
  /// The number of tasks whose reasons are kept; of further tasks the log knows only how they ended. After a summary
  /// was taken, the reasons are old: if there is then no room for another reason, all older reasons are dropped.
  static constexpr std::size_t kDetails = 1024;

  using Cause = std::shared_ptr<const Failure>;

  /// Records a task that ended as `failed` or `cancelled`. `origin` is the first failure, which is `cause` itself or
  /// led to `cause`; null for a cancellation whose first failure is not known.
  void task_ended(TaskId task, TaskStatus status, const Cause& cause, const Cause& origin);
  /// Records a task that did not succeed, but only for `status_of` and `failure_of`: summaries do not mention the task.
  void task_ended_quietly(TaskId task, TaskStatus status, const Cause& cause, const Cause& origin);
  /// Records a failure that is not the outcome of a task, such as an exception of a callback.
  void add(Failure failure);

  /// Returns the status of an ended task; `succeeded` if the log has no entry for it.
  [[nodiscard]] TaskStatus status_of(TaskId task) const;
  /// Returns why a task did not succeed. The caller reports the failure to the program, so its origin counts as
  /// reported.
  [[nodiscard]] Failure failure_of(TaskId task);
  /// Returns the same for a caller that keeps the failure for later: its origin does not count as reported.
  [[nodiscard]] Failure look_at(TaskId task) const;
  /// Records that this origin was reported to the program. If `origin` is null, the origin is not known, and all
  /// origins count as reported.
  void told(const Cause& origin);
  /// Returns, in one line, the failures since the last summary that were not reported to the program in any way; null
  /// if there are none. Cancellations are not included, because each followed from a failure or was the program's wish.
  [[nodiscard]] std::unique_ptr<Failure> untold() const;

  void poison(HandleId handle, const Cause& cause);
  void cure(HandleId handle);
  /// Returns true if some handle has no valid content, so that tasks must check their data. A thread that is ordered
  /// after a call of `poison` sees true.
  [[nodiscard]] bool any_poison() const { return any_poison_.load(std::memory_order_acquire); }
  /// Returns why a handle has no valid content.
  [[nodiscard]] Cause poison_of(HandleId handle) const;

  /// The failures that a summary is for: all, or, if the program has heard of all of them in other ways, none.
  enum class Summary : bool { all, untold };
  /// Returns one failure that sums up all failures since the last call, with the `code` of the first failure; null if
  /// there was none. `Summary::untold`: null, too, if there were failures and all were reported to the program,
  /// together with all cancellations that did not follow from a failure.
  [[nodiscard]] std::unique_ptr<Failure> take_summary(Summary what = Summary::all);

 private:
  /// The ids from `first` (the key) to `last`, which all ended in the same way.
  struct Interval {
    std::uint64_t last;
    TaskStatus status;
  };

  struct Detail {
    Cause cause;
    Cause origin;
  };

  void insert(std::uint64_t id, TaskStatus status) TROUPE_REQUIRES(mutex_);
  void note_ending(TaskId task, TaskStatus status, const Cause& cause, const Cause& origin) TROUPE_REQUIRES(mutex_);
  void note_untold(const Cause& origin) TROUPE_REQUIRES(mutex_);
  void erase_told(const Cause& origin) TROUPE_REQUIRES(mutex_);

  /// True if `poisoned_` is not empty. On a cache line of its own: every task that begins reads it. Written under
  /// mutex_.
  alignas(64) std::atomic<bool> any_poison_{false};
  alignas(64) mutable Mutex mutex_;
  std::map<std::uint64_t, Interval> unsuccessful_ TROUPE_GUARDED_BY(mutex_);
  std::map<std::uint64_t, Detail> details_ TROUPE_GUARDED_BY(mutex_);
  std::map<HandleId, Cause> poisoned_ TROUPE_GUARDED_BY(mutex_);
  /// The counts since the last summary.
  std::uint64_t failed_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::uint64_t cancelled_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::uint64_t other_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::vector<Failure> first_ TROUPE_GUARDED_BY(mutex_);
  /// `untold_` has the origins that were not reported to the program, at most `kDetails`; `untold_beyond_` counts the
  /// others.
  std::vector<Cause> untold_ TROUPE_GUARDED_BY(mutex_);
  std::uint64_t untold_beyond_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The origins of cancellations that did not follow from a failure and were not reported, at most `kDetails`.
  std::vector<Cause> untold_cancellations_ TROUPE_GUARDED_BY(mutex_);
  /// True if the details are from before the last summary.
  bool details_are_old_ TROUPE_GUARDED_BY(mutex_) = false;
};

}  // namespace troupe::graph
