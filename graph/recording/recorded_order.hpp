/// The order of recorded tasks, without dependencies that other dependencies imply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace troupe::graph {

/// The predecessors of tasks. Tasks are numbered in the order of their submission, so predecessors have lower numbers.
/// Every dependency costs each run an atomic operation on a cache line that cores share, so needless dependencies are
/// dropped. Access modes cause many needless dependencies: a task that overwrites data waits for the readers of the old
/// content, but often also for a later task, which has waited for the same readers.
class RecordedOrder {
 public:
  struct Predecessor {
    std::uint32_t index = 0;
    /// True if `TaskOptions::after` named the predecessor. Such a dependency is never dropped: if the earlier task
    /// fails, the later task must be cancelled.
    bool is_explicit = false;
  };

  explicit RecordedOrder(std::size_t tasks) : predecessors_(tasks) {}

  /// Adds a predecessor: `before` < `after`. The same pair may be added again.
  void add(std::size_t before, std::size_t after, bool is_explicit);

  /// Drops pairs that were added twice, and dependencies that other dependencies imply. The search looks at no more
  /// than `kLook` tasks for each task, so it does not find all implied dependencies. O(tasks * kLook).
  void reduce();

  /// Returns the predecessors; after a call of `reduce` they are in the order of submission.
  [[nodiscard]] std::span<const Predecessor> predecessors(std::size_t task) const { return predecessors_[task]; }

 private:
  static constexpr std::size_t kLook = 256;

  void drop_repeated(std::vector<Predecessor>& predecessors);
  void drop_implied(std::size_t task);

  std::vector<std::vector<Predecessor>> predecessors_;
  /// Entry i is the last task for which `drop_implied` has visited task i.
  std::vector<std::uint32_t> seen_by_;
  std::vector<std::uint32_t> found_;
};

}  // namespace troupe::graph
