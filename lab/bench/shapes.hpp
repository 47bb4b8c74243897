/// The shapes of the benchmark `overhead`: empty tasks in orders that real programs have.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "lab/bench/parameters.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

enum class Shape : std::uint8_t {
  independent,
  chain,
  /// 64 chains side by side, submitted in turn.
  chains64,
  /// One task, then ten that wait for it, then one that waits for these.
  fork_join,
  /// A binary tree: every task submits its two children; the program submits only the root.
  tree,
  /// The program submits one task and waits for it, again and again.
  one_by_one
};

inline constexpr std::array kShapes{Shape::independent, Shape::chain, Shape::chains64,
                                    Shape::fork_join,   Shape::tree,  Shape::one_by_one};
inline constexpr std::int64_t kForkWidth = 10;
inline constexpr std::int64_t kChains = 64;

[[nodiscard]] const char* to_string(Shape shape);
[[nodiscard]] std::optional<Shape> shape_named(std::string_view name);

/// The data that the task with this number uses, for runtimes that derive the order from data. Data come in sets with
/// one datum for each of a task's handles; a task uses one set, in one mode.
struct DataUse {
  std::int64_t set = 0;
  bool writes = false;
};
[[nodiscard]] DataUse data_use(Shape shape, std::int64_t task);
[[nodiscard]] std::int64_t data_sets(Shape shape);

/// The earlier tasks after which the task with this number comes, for runtimes with explicit dependencies: `count`
/// consecutive tasks from `first` on.
struct Predecessors {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
[[nodiscard]] Predecessors predecessors(Shape shape, std::int64_t task);

struct OverheadOptions {
  Shape shape = Shape::independent;
  /// The data handles per task; 0 means none, and explicit dependencies if the shape has any.
  int handles = 0;
  std::int64_t tasks = 100'000;
  int cores = 1;
};
/// The most handles that a runner has to support.
inline constexpr int kMostHandles = 4;

/// Reads the parameters `shape handles tasks cores`.
[[nodiscard]] OverheadOptions overhead_options(Parameters& parameters);

/// Return the number of tasks of a complete binary tree of this depth, and the depth of the largest such tree with at
/// most `tasks` tasks.
[[nodiscard]] constexpr std::int64_t tree_tasks(int depth) { return (std::int64_t{2} << depth) - 1; }
[[nodiscard]] int tree_depth(std::int64_t tasks);

/// Calls `run`, which returns the number of tasks that it ran, once to warm up and three times to measure. Figures:
/// `us_per_task` (the median) and `tasks`.
[[nodiscard]] Json measure_overhead(const std::function<std::int64_t()>& run);

}  // namespace troupe::bench
