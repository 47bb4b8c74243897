/// The tasks that have been submitted and have not ended: what a scheduler may know of the future.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "actors/scheduler/cluster_rule.hpp"
#include "graph/data/size_classes.hpp"
#include "graph/submission_observer.hpp"
#include "graph/tasks/task_event.hpp"
#include "proto/handle_table.hpp"
#include "proto/memory.hpp"
#include "proto/mutex.hpp"
#include "troupe/ids.hpp"

namespace troupe::scheduler {

/// Records every task as it is submitted, with its size class and its working set. The working sets determine
/// dependencies and so upward ranks: a reader waits for the last writer; a writer waits for the last writer and for the
/// readers since then; commuting tasks count as writers. Thread-safe. Memory: about 100 bytes a task; as tasks end, the
/// memory of the oldest is freed.
class SubmittedTasks final : public graph::SubmissionObserver, public graph::TaskObserver {
 public:
  void submitted(const graph::Task& task) noexcept override;
  void restricted(const graph::Task& task) noexcept override;
  void happened(const graph::TaskEvent& event) override {
    if (event.ends_task()) ended(event.task);
  }
  void ended(TaskId task);

  /// Returns the size class of any task, recorded or not.
  [[nodiscard]] SizeClassId classify(const graph::Task& task);
  /// Returns the class with this id. The reference stays valid.
  [[nodiscard]] const graph::SizeClass& size_class(SizeClassId id) const;
  [[nodiscard]] std::size_t size_classes() const;

  /// The uses are those of a task that has begun or is about to begin. Sets `last_write` of each written use: true if
  /// no other task in flight will write the data later.
  void mark_last_writes(std::span<memory::Use> uses) const;
  /// Returns the number of accesses to the data by tasks in flight.
  [[nodiscard]] std::uint32_t uses_left(HandleId handle) const;

  /// Sets the reuse index of a handle, from the program or an earlier run (docs/eviction.md); 0 makes it unknown again.
  void set_reuse(HandleId handle, std::int64_t index);
  /// Returns the expected use of the data that a task writes: the reuse index that was set, or else the number of
  /// accesses by tasks in flight. If the task writes several pieces of data, the largest value counts. If it writes
  /// nothing, the data that it reads count.
  [[nodiscard]] std::int64_t reuse_of(std::span<const memory::Use> uses) const;

  /// Sets `out` to the number of tasks that have not ended, for each size class.
  void left(std::vector<std::uint32_t>& out) const;
  /// Returns the size of all data that tasks in flight use.
  [[nodiscard]] Bytes data_left() const;
  /// Returns the oldest tasks that have not ended, at most `most` of them, by level: first the tasks that wait for no
  /// other, then the tasks that wait only for tasks of the first level, and so on.
  [[nodiscard]] std::vector<TaskLevel> levels(std::size_t most) const;

  /// Returns the length, in seconds, of the longest chain of tasks from the task's start to the end of all submitted
  /// tasks; 0 if the task was not recorded. `costs_s` holds seconds by size class. Ranks are computed for all tasks at
  /// once: when new tasks are at least an eighth of all, or when a cost has changed by a tenth. Until then, a new
  /// task's rank is its own cost. With n tasks in flight, where n is large, changed costs cause a new computation at
  /// most once in n / 8 calls.
  [[nodiscard]] double rank(TaskId task, std::span<const double> costs_s);

 private:
  struct Record {
    TaskId id;
    SizeClassId size_class;
    std::uint32_t uses_begin = 0;
    std::uint32_t uses_end = 0;
    double rank_s = 0;
    bool ended = false;
  };
  struct Uses {
    std::uint32_t all = 0;
    std::uint32_t writes = 0;
  };

  [[nodiscard]] Record* find(TaskId task) TROUPE_REQUIRES(mutex_);
  void count(std::span<const memory::Use> uses, int change) TROUPE_REQUIRES(mutex_);
  [[nodiscard]] bool costs_have_moved(std::span<const double> costs_s) const TROUPE_REQUIRES(mutex_);
  void compute_ranks(std::span<const double> costs_s) TROUPE_REQUIRES(mutex_);
  /// Forgets ended tasks at the front once they are more than half of all records.
  void shrink() TROUPE_REQUIRES(mutex_);

  mutable Mutex mutex_;
  graph::SizeClasses classes_ TROUPE_GUARDED_BY(mutex_);
  /// The records, sorted by the task's id. Some ids are missing, for example the ids of tasks in recordings.
  std::vector<Record> records_ TROUPE_GUARDED_BY(mutex_);
  /// Position of the first record that has not ended.
  std::size_t first_live_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::vector<memory::Use> uses_ TROUPE_GUARDED_BY(mutex_);
  /// For each handle that tasks in flight use, the number of their accesses and how many of these write.
  HandleTable<Uses> uses_left_ TROUPE_GUARDED_BY(mutex_);
  /// The reuse index of each handle for which one was set.
  HandleTable<std::int64_t> reuse_ TROUPE_GUARDED_BY(mutex_);
  std::vector<std::uint32_t> left_ TROUPE_GUARDED_BY(mutex_);
  Bytes data_left_ TROUPE_GUARDED_BY(mutex_);
  /// The number of records that have ranks; they come before all others.
  std::size_t ranked_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The first value of `may_rank_again_`. It is large because, at the beginning, times become known one by one, and
  /// small programs should get their new ranks at once.
  static constexpr std::size_t kRankedAtOnce = 65'536;
  /// The number of records that may be ranked again because costs have changed. Calls of `rank` raise it, computations
  /// lower it.
  std::size_t may_rank_again_ TROUPE_GUARDED_BY(mutex_) = kRankedAtOnce;
  /// The costs from which the ranks were computed, for all classes that existed then.
  std::vector<double> ranked_costs_s_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::scheduler
