/// The registrations that have ended while tasks still use their data.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "graph/data/data_record.hpp"
#include "graph/tasks/task.hpp"

namespace troupe::graph {

/// A registration that ends when the last task that uses its data has ended.
struct LateRelease {
  /// The next members are guarded by the submission lock.
  Task* hold = nullptr;
  DataRecord* record = nullptr;
  std::uint64_t bytes = 0;
  /// The number of new parts that overlap this former part.
  std::uint64_t divisions = 0;
  std::atomic<bool> done{false};
};

/// Returns the bytes that count for a late release of the record.
[[nodiscard]] inline std::uint64_t late_bytes_of(const DataRecord& record) {
  if (record.view.data == nullptr || record.is_former) return 0;
  return static_cast<std::uint64_t>(record.view.layout.extent()) * record.view.layout.element_size;
}

/// The sum of the late releases of a graph, and the threads that wait for tasks on such data. Guarded by the submission
/// lock.
class LateReleases {
 public:
  void add(const LateRelease& late) {
    bytes_ += late.bytes;
    ++pieces_;
    divisions_ += late.divisions;
  }
  void remove(const LateRelease& late) {
    bytes_ -= late.bytes;
    --pieces_;
    divisions_ -= late.divisions;
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::uint64_t divisions() const { return divisions_; }
  /// Returns true if the late releases comprise more bytes and more pieces than this.
  [[nodiscard]] bool above(std::uint64_t bytes, std::uint64_t pieces) const {
    return bytes_ > bytes && pieces_ > pieces;
  }

  /// Records that a wait for late releases brought nothing when `ended` tasks had ended: the tasks may wait for what
  /// the waiting thread will do.
  void note_stalled(std::uint64_t ended) { stalled_at_ = ended; }
  /// Returns true if nothing has changed since then.
  [[nodiscard]] bool is_stalled(std::uint64_t ended) const { return stalled_at_ == ended; }

  /// Records that the task's kernel or callback waits for tasks on data whose registration it has ended, or that this
  /// wait is over.
  void begin_wait(const Task* task) { waiting_.push_back(task); }
  void end_wait(const Task* task) { std::erase(waiting_, task); }
  [[nodiscard]] bool waits(const Task& task) const { return std::ranges::find(waiting_, &task) != waiting_.end(); }

 private:
  std::uint64_t bytes_ = 0;
  std::uint64_t pieces_ = 0;
  std::uint64_t divisions_ = 0;
  std::uint64_t stalled_at_ = std::numeric_limits<std::uint64_t>::max();
  std::vector<const Task*> waiting_;
};

}  // namespace troupe::graph
