/// What went wrong in a graph: nothing is lost silently, and a flood of failures takes little memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/codelets/handle.hpp"
#include "proto/errors.hpp"
#include "proto/mutex.hpp"

namespace troupe::graph {

/// Thread-safe. Not on any path of a run without failures.
class FailureLog {
 public:
  /// Details are kept for this many tasks; of further ones the log knows how they ended, not why. After a summary has
  /// been taken, the next failures beyond this number push out the older details.
  static constexpr std::size_t kDetails = 1024;

  using Cause = std::shared_ptr<const Failure>;

  /// The task ended as `failed` or `cancelled`. `origin`: what first went wrong, which is the cause
  /// itself or led to it; null for a cancellation where that is not known.
  void task_ended(TaskId task, TaskStatus status, const Cause& cause, const Cause& origin);
  /// A callback threw, or something else failed that belongs to no task's result.
  void add(Failure failure);

  /// How an ended task ended; `succeeded` where the log has never heard of it.
  [[nodiscard]] TaskStatus status_of(TaskId task) const;
  /// Why a task did not succeed, for the program: its origin counts as told.
  [[nodiscard]] Failure failure_of(TaskId task);
  /// The program has been told of this origin; null: of one that is not known here, so that all count as told.
  void told(const Cause& origin);
  /// The failures since the last summary of which the program has not been told in any way, in one line; null: none.
  /// What was cancelled is not among them: either it followed from a failure, or the program wanted it.
  [[nodiscard]] std::unique_ptr<Failure> untold() const;

  void poison(HandleId handle, const Cause& cause);
  void cure(HandleId handle);
  /// Some handle has no valid content: it has to be looked for. Whoever is ordered after a `poison` sees it.
  [[nodiscard]] bool any_poison() const { return any_poison_.load(std::memory_order_acquire); }
  /// Why a handle has no valid content.
  [[nodiscard]] Cause poison_of(HandleId handle) const;

  /// Everything since the last call in one failure, or nothing; `code` is that of the first.
  [[nodiscard]] std::unique_ptr<Failure> take_summary();

 private:
  /// Ids from `first` (the key) to `last`, which all ended in the same way.
  struct Interval {
    std::uint64_t last;
    TaskStatus status;
  };

  struct Detail {
    Cause cause;
    Cause origin;
  };

  void insert(std::uint64_t id, TaskStatus status) TROUPE_REQUIRES(mutex_);
  void note_untold(const Cause& origin) TROUPE_REQUIRES(mutex_);
  void erase_told(const Cause& origin) TROUPE_REQUIRES(mutex_);

  /// `poisoned_` is not empty. Read by every task that begins: on a line of its own. Written under mutex_.
  alignas(64) std::atomic<bool> any_poison_{false};
  alignas(64) mutable Mutex mutex_;
  std::map<std::uint64_t, Interval> unsuccessful_ TROUPE_GUARDED_BY(mutex_);
  std::map<std::uint64_t, Detail> details_ TROUPE_GUARDED_BY(mutex_);
  std::map<HandleId, Cause> poisoned_ TROUPE_GUARDED_BY(mutex_);
  /// Since the last summary.
  std::uint64_t failed_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::uint64_t cancelled_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::uint64_t other_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::vector<Failure> first_ TROUPE_GUARDED_BY(mutex_);
  /// Origins that the program has not been told of, `kDetails` at most, and how many more there are.
  std::vector<Cause> untold_ TROUPE_GUARDED_BY(mutex_);
  std::uint64_t untold_beyond_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The details are of before the last summary.
  bool details_are_old_ TROUPE_GUARDED_BY(mutex_) = false;
};

}  // namespace troupe::graph
