/// Maps the numbers of a client's tasks to tasks and outcomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "troupe/handle.hpp"

namespace troupe::service {

/// Numbers count from 1 without gaps. The object stores only the tasks in flight, and ranges of ended tasks that did
/// not succeed. The memory therefore does not grow with the number of ended tasks, unless failures alternate with
/// successes; then the last `kMostRanges` ranges are kept. Only one thread may use this class.
class TaskNumbers {
 public:
  static constexpr std::size_t kMostRanges = 65'536;

  [[nodiscard]] std::uint64_t next() const { return next_; }
  /// Adds the task with the next number; the future is empty if no task was submitted to the graph.
  void add(const Future& future);
  void ended(std::uint64_t number, TaskStatus status);

  struct Found {
    /// The task's future; empty if the task has ended, or never was in the graph.
    Future future;
    /// The outcome of the task; `pending` if the task has not ended.
    TaskStatus status = TaskStatus::pending;
  };
  /// Returns the state of a task whose number was added.
  [[nodiscard]] Found find(std::uint64_t number) const;

 private:
  struct Slot {
    std::uint64_t number = 0;
    bool in_flight = false;
    Future future;
  };
  [[nodiscard]] Slot& slot_of(std::uint64_t number) { return ring_[number & (ring_.size() - 1)]; }
  void grow();
  void note_unsuccessful(std::uint64_t number, TaskStatus status);

  struct Range {
    std::uint64_t last = 0;
    TaskStatus status = TaskStatus::failed;
  };
  std::uint64_t next_ = 1;
  /// The tasks with the newest numbers, at the index of the number modulo the size; the size is a power of two.
  std::vector<Slot> ring_ = std::vector<Slot>(1024);
  /// The tasks in flight whose slots in the ring were needed for newer tasks.
  std::unordered_map<std::uint64_t, Future> old_;
  /// The ranges of unsuccessful tasks, by their first number.
  std::map<std::uint64_t, Range> unsuccessful_;
};

}  // namespace troupe::service
