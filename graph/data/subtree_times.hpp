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

/// Learned times of tasks, by *class*. Tasks of one codelet with equal arguments are one class if the sizes of their
/// data differ by less than about a tenth. Thread-safe; takes no lock. The table has room for some thousand classes; a
/// class that finds no room replaces another class.
class SubtreeTimes {
 public:
  SubtreeTimes();

  /// Returns the class of a task with these data and arguments by value. Objects that the kernel has captured do not
  /// count. Never 0.
  [[nodiscard]] static std::uint64_t class_of(const CodeletDefinition& codelet, std::span<const TaskAccess> data,
                                              const Arguments& arguments);
  /// Returns the time of a class; empty if no time is known, or after `distrust`.
  [[nodiscard]] std::optional<Duration> find(std::uint64_t of) const noexcept;
  /// Takes in the time of one more task. A longer time replaces the learned time; a shorter time lowers the learned
  /// time by a quarter of the difference.
  void note(std::uint64_t of, Duration time) noexcept;
  /// Notes that tasks of this class take very different times: from now on, the time of the class counts as not known.
  void distrust(std::uint64_t of) noexcept;
  /// Notes that a task that counted as small has run; `surprise` is true if it took much longer than expected. If, for
  /// a while, more than one of `kSurprise` tasks is a surprise, the class is distrusted. Single surprises have no
  /// effect, because the system may have taken the core from a task.
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
