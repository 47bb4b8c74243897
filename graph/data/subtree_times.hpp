/// Subtree times: how long tasks take together with all tasks inside them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "graph/tasks/task.hpp"
#include "troupe/units.hpp"

namespace troupe {
struct CodeletDefinition;
}

namespace troupe::graph {

/// Learned times of tasks, by *class*: tasks of one codelet with equal arguments, whose data have sizes that differ by
/// less than a tenth, are one class. Thread-safe; takes no lock. The table has room for some thousand classes; a class
/// that finds no room replaces another class.
class SubtreeTimes {
 public:
  SubtreeTimes();

  /// Returns the class of a task with these arguments by value, not counting what its kernel has captured. Never 0.
  [[nodiscard]] static std::uint64_t class_of(const CodeletDefinition& codelet, std::span<const TaskAccess> data,
                                              const Arguments& arguments);
  /// Returns the time of a class; empty if nothing is known of it, or if its tasks have nothing in common.
  [[nodiscard]] std::optional<Duration> find(std::uint64_t of) const noexcept;
  /// Takes in the time of one more task. A longer time counts at once, a shorter time by a quarter.
  void note(std::uint64_t of, Duration time) noexcept;
  /// Notes that tasks of this class take very different times: from now on, the time of the class counts as not known.
  void distrust(std::uint64_t of) noexcept;
  /// Notes whether a task of this class, of which little time was known, took much longer than expected. If for a while
  /// more than one of `kSurprise` tasks does, the class is distrusted. Single surprises have no effect, because the
  /// system may have taken the core from a task.
  void note_small(std::uint64_t of, bool surprise) noexcept;

 private:
  static constexpr std::size_t kEntries = 4096;
  static constexpr std::size_t kTries = 8;
  static constexpr Duration::rep kUnknown = 0;
  static constexpr Duration::rep kDistrusted = -1;
  static constexpr std::int32_t kSurprise = 16;
  static constexpr std::int32_t kMostSurprises = 4 * kSurprise;

  struct Entry {
    std::atomic<std::uint64_t> of{0};
    std::atomic<Duration::rep> time{kUnknown};
    /// Each surprise adds `kSurprise`, and each other task takes one away.
    std::atomic<std::int32_t> surprises{0};
  };

  [[nodiscard]] Entry* look_up(std::uint64_t of) const noexcept;
  [[nodiscard]] Entry& make(std::uint64_t of) noexcept;

  std::unique_ptr<Entry[]> entries_;
};

}  // namespace troupe::graph
