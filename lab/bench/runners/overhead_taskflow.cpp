#include <taskflow/taskflow.hpp>

#include <array>
#include <vector>

#include "lab/bench/compute_kernel.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/shapes.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

/// Builds a graph, runs it and destroys it.
std::int64_t run_graph(tf::Executor& executor, const OverheadOptions& options) {
  tf::Taskflow graph;
  std::vector<tf::Task> tasks;
  tasks.reserve(static_cast<std::size_t>(options.tasks));
  for (std::int64_t number = 0; number < options.tasks; ++number) {
    tasks.push_back(graph.emplace(compute_nothing));
    const Predecessors before = predecessors(options.shape, number);
    for (std::int64_t i = 0; i < before.count; ++i) {
      tasks.back().succeed(tasks[static_cast<std::size_t>(before.first + i)]);
    }
  }
  executor.run(graph).wait();
  return options.tasks;
}

/// Submits each task with references to the tasks that it waits for.
std::int64_t run_async(tf::Executor& executor, const OverheadOptions& options) {
  std::vector<tf::AsyncTask> tasks(static_cast<std::size_t>(options.tasks));
  for (std::int64_t number = 0; number < options.tasks; ++number) {
    const Predecessors before = predecessors(options.shape, number);
    const auto first = tasks.begin() + before.first;
    tasks[static_cast<std::size_t>(number)] =
        executor.silent_dependent_async(compute_nothing, first, first + before.count);
  }
  executor.wait_for_all();
  return options.tasks;
}

std::int64_t run_independent(tf::Executor& executor, std::int64_t tasks) {
  for (std::int64_t number = 0; number < tasks; ++number) executor.silent_async(compute_nothing);
  executor.wait_for_all();
  return tasks;
}

std::int64_t run_one_by_one(tf::Executor& executor, std::int64_t tasks) {
  for (std::int64_t number = 0; number < tasks; ++number) executor.async(compute_nothing).wait();
  return tasks;
}

void run_node(tf::Executor& executor, int depth) {
  if (depth == 0) return compute_nothing();
  for (int child = 0; child < 2; ++child) {
    executor.silent_async([&executor, depth] { run_node(executor, depth - 1); });
  }
}

std::int64_t run_tree(tf::Executor& executor, int depth) {
  executor.silent_async([&executor, depth] { run_node(executor, depth); });
  executor.wait_for_all();
  return tree_tasks(depth);
}

}  // namespace

Json overhead(Parameters& parameters) {
  constexpr std::array kModes{"submitted", "async"};
  const bool async = mode_of(parameters, kModes) == "async";
  const OverheadOptions options = overhead_options(parameters);
  if (options.handles > 0) throw Unsupported("Taskflow has no data dependencies");
  tf::Executor executor(static_cast<std::size_t>(options.cores));
  return measure_overhead([&] {
    switch (options.shape) {
      case Shape::tree: return run_tree(executor, tree_depth(options.tasks));
      case Shape::one_by_one: return run_one_by_one(executor, options.tasks);
      case Shape::independent: return async ? run_independent(executor, options.tasks) : run_graph(executor, options);
      default: return async ? run_async(executor, options) : run_graph(executor, options);
    }
  });
}

}  // namespace troupe::bench
