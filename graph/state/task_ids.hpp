/// The ids of a graph's tasks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

namespace troupe::graph {

/// Gives ids to tasks, and marks to submissions. Changed under the submission lock only; `next` may be called without
/// it.
class TaskIds {
 public:
  /// Ids begin with `first`. If `shared` is true, the ids come from a counter that several graphs share.
  TaskIds(std::uint64_t first, bool shared)
      : next_(first), end_(shared ? first : std::numeric_limits<std::uint64_t>::max()) {}

  /// Takes `count` consecutive ids and returns the first. Later calls return higher ids. `shared` is the counter that
  /// several graphs share; null if there is none.
  std::uint64_t take(std::uint64_t count, std::atomic<std::uint64_t>* shared) {
    std::uint64_t first = next_.load(std::memory_order_relaxed);
    if (count > end_ - first) [[unlikely]]
      first = take_shared(count, *shared);
    next_.store(first + count, std::memory_order_relaxed);
    return first;
  }
  /// Returns the id that the next task gets, or a lower one.
  [[nodiscard]] std::uint64_t next() const { return next_.load(std::memory_order_relaxed); }

  /// Returns a new mark for the data of one submission (`DataRecord::mark`). Task ids do not serve as marks: a
  /// submission may take several marks and may be refused, but the ids of consecutive tasks must have no gaps, so that
  /// the failure log can store intervals of ids.
  std::uint64_t take_mark() { return ++last_mark_; }
  [[nodiscard]] std::uint64_t last_mark() const { return last_mark_; }

 private:
  std::uint64_t take_shared(std::uint64_t count, std::atomic<std::uint64_t>& shared) {
    constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20U;
    const std::uint64_t taken = std::max(count, kAtOnce);
    // Ids begin with 1: memory that was never used for a task has id 0.
    const std::uint64_t first = shared.fetch_add(taken, std::memory_order_relaxed) + 1;
    end_ = first + taken;
    return first;
  }

  std::atomic<std::uint64_t> next_;
  /// The graph may use ids below this number; before it uses more, it has to take them from the shared counter.
  std::uint64_t end_;
  std::uint64_t last_mark_ = 0;
};

}  // namespace troupe::graph
