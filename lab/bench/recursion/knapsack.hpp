/// The knapsack problem by branch and bound: the best value found so far is shared, so the work differs from run to
/// run.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

struct KnapsackItem {
  std::int64_t value = 0;
  std::int64_t weight = 0;
};

/// A choice among the first items.
struct Knapsack {
  /// The item to decide about next.
  std::size_t next = 0;
  std::int64_t value = 0;
  /// The weight for which there is still room; below zero if the items are too heavy.
  std::int64_t room = 0;

  [[nodiscard]] Knapsack with(const KnapsackItem& item) const {
    return {next + 1, value + item.value, room - item.weight};
  }
  [[nodiscard]] Knapsack without() const { return {next + 1, value, room}; }
};

/// Finds the largest value of some of `n` items that are together at most half as heavy as all. For each of the first
/// `cutoff` items, there is a task for the choices without it.
class KnapsackSearch {
 public:
  static constexpr std::int64_t kMostItems = 500;

  explicit KnapsackSearch(const RecursionCase& options);

  void prepare() { best_ = 0; }
  template <class Tasks>
  void run(Tasks& tasks) {
    search(tasks, {.room = capacity_});
  }
  void check() const { require_right(best_ == expected_, Recursion::knapsack); }
  [[nodiscard]] std::uint64_t checksum() const { return static_cast<std::uint64_t>(best_.load()); }

 private:
  /// Returns whether a choice can become better than the best one, if its next item can also be taken in part. A choice
  /// that is itself better becomes the best one.
  [[nodiscard]] bool is_promising(const Knapsack& chosen);
  void search_without_tasks(const Knapsack& chosen);

  template <class Tasks>
  void search(Tasks& tasks, const Knapsack& chosen) {
    if (chosen.next >= depth_) return search_without_tasks(chosen);
    if (!is_promising(chosen)) return;
    typename Tasks::Group group(tasks);
    group.run([this, &tasks, without = chosen.without()] { search(tasks, without); });
    search(tasks, chosen.with(items_[chosen.next]));
    group.wait();
  }

  std::size_t depth_ = 0;
  /// The items by value per weight; the most valuable ones are first.
  std::vector<KnapsackItem> items_;
  std::int64_t capacity_ = 0;
  std::int64_t expected_ = 0;
  std::atomic<std::int64_t> best_{0};
};

}  // namespace troupe::bench
