/// Restricted queues: ready tasks that only some workers can or may run.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "actors/workers/queues/task_deque.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/device_set.hpp"
#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/ids.hpp"

namespace troupe::workers {

/// Returns the set of workers that may run the task; null if all workers may.
[[nodiscard]] const WorkerSet* only_workers(const graph::Task& task);

/// There is one queue for each set of device kinds. Tasks that only certain workers may run have queues of their own:
/// for each set of workers, one queue for each set of device kinds. The functions may be called from any thread.
class RestrictedQueues {
 public:
  /// `kinds` holds the kind of each worker's device and outlives this object; `present` is the set of these kinds.
  RestrictedQueues(const std::vector<DeviceKind>& kinds, KindSet present)
      : kinds_(kinds), present_(present), mixed_(several_kinds()) {}

  [[nodiscard]] bool several_kinds() const { return std::popcount(present_) > 1; }
  /// Returns true if not every worker can run every task: only then may tasks wait here.
  [[nodiscard]] bool mixed() const { return mixed_.load(std::memory_order_seq_cst); }
  /// Returns the object that stands for this set of workers in tasks; equal sets have the same object. From now on the
  /// crew is mixed. Fails with `invalid_argument` if there are too many different sets.
  [[nodiscard]] Result<std::shared_ptr<const WorkerSet>> set_of(const std::vector<bool>& members);
  /// Adds a ready task that only devices of these kinds can run.
  void push(graph::Task& task, KindSet kinds);
  /// Takes the oldest of the most urgent tasks of the queue; returns null if the queue is empty.
  [[nodiscard]] graph::Task* take(TaskDeque& queue);
  /// Puts back a task that was taken but must not begin yet.
  void put_back(TaskDeque& queue, graph::Task& task);
  /// Returns the queue with the most urgent task, among the queues that this worker may take from; null if all of these
  /// are empty.
  [[nodiscard]] TaskDeque* best_for(WorkerId worker);
  /// Returns a queue that holds tasks and for which `of(workers, kinds)` is true; null if there is none. `workers` is
  /// null if all workers may take from the queue.
  template <class Of>
  [[nodiscard]] TaskDeque* find_queue(Of of) {
    TaskDeque* found = nullptr;
    for_each([&](const WorkerSet* workers, TaskDeque& queue, KindSet kinds) {
      if (of(workers, kinds)) found = &queue;
    });
    return found;
  }

 private:
  using ByKinds = std::array<TaskDeque, kKindSets>;
  /// The queues of tasks that only a certain set of workers may run.
  struct Group {
    std::shared_ptr<const WorkerSet> workers;
    ByKinds only;
  };
  static constexpr std::size_t kMostGroups = 1024;
  static constexpr std::size_t kCountedTogether = 64;

  /// Calls `look(workers, queue, kinds)` for each queue that holds tasks.
  template <class Look>
  void for_each(Look look) {
    // Sets with kinds of device that the crew does not have are skipped.
    const auto look_at = [&](const WorkerSet* workers, ByKinds& only, KindSet among) {
      for (KindSet set = 1; set < kKindSets; ++set) {
        if ((set & ~among) == 0 && only[set].size() > 0) look(workers, only[set], set);
      }
    };
    look_at(nullptr, only_, present_);
    const std::size_t count = groups_.load(std::memory_order_seq_cst);
    for (std::size_t first = 0; first < count; first += kCountedTogether) {
      if (counts_[first / kCountedTogether].load(std::memory_order_seq_cst) == 0) continue;
      for (std::size_t i = first; i < std::min(count, first + kCountedTogether); ++i) {
        look_at(group_[i]->workers.get(), group_[i]->only, group_[i]->workers->kinds);
      }
    }
  }
  [[nodiscard]] std::atomic<std::uint32_t>& count_of(const WorkerSet& workers) {
    return counts_[workers.index / kCountedTogether];
  }

  const std::vector<DeviceKind>& kinds_;
  const KindSet present_;
  /// Set once, never cleared. Sequentially consistent, as `TaskDeque::size` is: a worker that declares itself idle
  /// either sees this flag set, or is seen as idle by the thread that pushes the first restricted task.
  std::atomic<bool> mixed_;
  ByKinds only_;
  Mutex groups_mutex_;
  /// The first `groups_` entries are in use. They are filled with `groups_mutex_` locked, and read without it. The
  /// stores to `groups_` are sequentially consistent, like those to `mixed_`.
  std::array<std::unique_ptr<Group>, kMostGroups> group_;
  std::atomic<std::size_t> groups_{0};
  /// Each entry counts the tasks of `kCountedTogether` groups. A task is counted before its push and until after its
  /// pop, so that no thread that looks for tasks misses a task. Sequentially consistent, as `TaskDeque::size` is.
  std::array<std::atomic<std::uint32_t>, kMostGroups / kCountedTogether> counts_{};
};

}  // namespace troupe::workers
