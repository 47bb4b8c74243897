/// The meaning of the numbers of a client's tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "troupe/handle.hpp"

namespace troupe::service {

/// Numbers count from 1 without gaps. Those in flight are known, of the others those that did not succeed: so the
/// memory does not grow with the number of tasks that have ended, but for failures that alternate with successes, of
/// which the last `kMostRanges` ranges are kept. One thread.
class TaskNumbers {
 public:
  static constexpr std::size_t kMostRanges = 65'536;

  [[nodiscard]] std::uint64_t next() const { return next_; }
  /// The next number's task; an empty future where nothing was submitted for it.
  void add(const Future& future);
  void ended(std::uint64_t number, TaskStatus status);

  struct Found {
    /// Empty where the task has ended, or never was one of the graph's.
    Future future;
    /// The way in which the task ended, or `pending`.
    TaskStatus status = TaskStatus::pending;
  };
  /// Finds a number that was added.
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
  /// The newest numbers; its size is a power of two.
  std::vector<Slot> ring_ = std::vector<Slot>(1024);
  /// The tasks in flight that newer ones have pushed out.
  std::unordered_map<std::uint64_t, Future> old_;
  /// The ranges by their first number.
  std::map<std::uint64_t, Range> unsuccessful_;
};

}  // namespace troupe::service
