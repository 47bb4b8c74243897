/// The shapes of the benchmark `overhead`: graphs of empty tasks with dependencies as in real programs.
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
  /// There are 64 independent chains; the program submits a task of each in turn.
  chains64,
  /// One task, then ten tasks that wait for it, then one task that waits for these ten.
  fork_join,
  /// A binary tree: every task submits its two children; the program submits only the root.
  tree,
  /// The program submits one task and waits for it, repeatedly.
  one_by_one
};

inline constexpr std::array kShapes{Shape::independent, Shape::chain, Shape::chains64,
                                    Shape::fork_join,   Shape::tree,  Shape::one_by_one};
inline constexpr std::int64_t kForkWidth = 10;
inline constexpr std::int64_t kChains = 64;

[[nodiscard]] const char* to_string(Shape shape);
[[nodiscard]] std::optional<Shape> shape_named(std::string_view name);

/// The data that task number `task` uses, for runtimes that derive dependencies from data. Data come in sets, with one
/// piece of data for each handle of a task; a task uses one set, in one mode.
struct DataUse {
  std::int64_t set = 0;
  bool writes = false;
};
[[nodiscard]] DataUse data_use(Shape shape, std::int64_t task);
[[nodiscard]] std::int64_t data_sets(Shape shape);

/// The earlier tasks on which task number `task` depends, for runtimes with explicit dependencies: `count` consecutive
/// tasks, the first of which is `first`.
struct Predecessors {
  std::int64_t first = 0;
  std::int64_t count = 0;
};
[[nodiscard]] Predecessors predecessors(Shape shape, std::int64_t task);

struct OverheadOptions {
  Shape shape = Shape::independent;
  /// The number of data handles of a task. With 0 there are no data, and the shape's order is given by explicit
  /// dependencies.
  int handles = 0;
  std::int64_t tasks = 100'000;
  int cores = 1;
};
/// The largest number of handles that a runner has to support.
inline constexpr int kMostHandles = 4;

/// Reads the parameters `shape handles tasks cores`.
[[nodiscard]] OverheadOptions overhead_options(Parameters& parameters);

/// Return the number of tasks in a complete binary tree of this depth, and the depth of the largest such tree with at
/// most `tasks` tasks.
[[nodiscard]] constexpr std::int64_t tree_tasks(int depth) { return (std::int64_t{2} << depth) - 1; }
[[nodiscard]] int tree_depth(std::int64_t tasks);

/// Calls `run` once to warm up and three times to measure; `run` returns the number of tasks that it ran. Figures:
/// `us_per_task` (the median) and `tasks`.
[[nodiscard]] Json measure_overhead(const std::function<std::int64_t()>& run);

}  // namespace troupe::bench
