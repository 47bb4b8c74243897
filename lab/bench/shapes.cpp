#include "lab/bench/shapes.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "lab/bench/runner.hpp"
#include "lab/bench/statistics.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

/// The number of tasks in a fork: the first task, and the tasks that wait for it.
constexpr std::int64_t kForkTasks = kForkWidth + 1;

}  // namespace

const char* to_string(Shape shape) {
  switch (shape) {
    case Shape::independent: return "independent";
    case Shape::chain: return "chain";
    case Shape::chains64: return "chains64";
    case Shape::fork_join: return "fork_join";
    case Shape::tree: return "tree";
    case Shape::one_by_one: return "one_by_one";
  }
  return "unknown";
}

std::optional<Shape> shape_named(std::string_view name) {
  for (const Shape shape : kShapes) {
    if (name == to_string(shape)) return shape;
  }
  return std::nullopt;
}

DataUse data_use(Shape shape, std::int64_t task) {
  switch (shape) {
    case Shape::chain: return {0, true};
    case Shape::chains64: return {task % kChains, true};
    case Shape::fork_join: return {0, task % kForkTasks == 0};
    // Tasks of these shapes only read, so they are independent even if they share data.
    default: return {task % kChains, false};
  }
}

std::int64_t data_sets(Shape shape) { return shape == Shape::chain || shape == Shape::fork_join ? 1 : kChains; }

Predecessors predecessors(Shape shape, std::int64_t task) {
  const std::int64_t in_fork = task % kForkTasks;
  switch (shape) {
    case Shape::chain: return task == 0 ? Predecessors{} : Predecessors{task - 1, 1};
    case Shape::chains64: return task < kChains ? Predecessors{} : Predecessors{task - kChains, 1};
    case Shape::fork_join:
      if (task == 0) return {};
      return in_fork == 0 ? Predecessors{task - kForkWidth, kForkWidth} : Predecessors{task - in_fork, 1};
    default: return {};
  }
}

OverheadOptions overhead_options(Parameters& parameters) {
  OverheadOptions options;
  const std::string name = parameters.text("shape", "independent");
  const auto shape = shape_named(name);
  if (!shape) throw BadParameter("unknown shape '" + name + "'");
  options.shape = *shape;
  options.handles = static_cast<int>(parameters.integer("handles", 0));
  options.tasks = parameters.integer("tasks", options.tasks, 1);
  options.cores = cores_of(parameters);
  parameters.require_all_used();
  if (options.handles > kMostHandles) throw BadParameter("handles: at most " + std::to_string(kMostHandles));
  const bool without_data = options.shape == Shape::tree || options.shape == Shape::one_by_one;
  if (without_data && options.handles > 0) throw Unsupported(name + " is measured without handles only");
  return options;
}

int tree_depth(std::int64_t tasks) {
  int depth = 0;
  while (tree_tasks(depth + 1) <= tasks) ++depth;
  return depth;
}

Json measure_overhead(const std::function<std::int64_t()>& run) {
  constexpr int kRepetitions = 3;
  run();
  std::vector<double> us_per_task;
  std::int64_t tasks = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    tasks = run();
    const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - begin;
    us_per_task.push_back(elapsed.count() / static_cast<double>(tasks));
  }
  return {{"us_per_task", median_of(us_per_task)}, {"tasks", tasks}};
}

}  // namespace troupe::bench
