#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <deque>

#include "lab/bench/compute_kernel.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/shapes.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

using tbb::flow::continue_msg;
using Node = tbb::flow::continue_node<continue_msg>;

std::int64_t run_independent(std::int64_t tasks) {
  tbb::task_group group;
  for (std::int64_t task = 0; task < tasks; ++task) group.run(compute_nothing);
  group.wait();
  return tasks;
}

std::int64_t run_one_by_one(std::int64_t tasks) {
  tbb::task_group group;
  for (std::int64_t task = 0; task < tasks; ++task) group.run_and_wait(compute_nothing);
  return tasks;
}

void run_node(tbb::task_group& group, int depth) {
  if (depth == 0) return compute_nothing();
  for (int child = 0; child < 2; ++child) group.run([&group, depth] { run_node(group, depth - 1); });
}

std::int64_t run_tree(int depth) {
  tbb::task_group group;
  group.run([&group, depth] { run_node(group, depth); });
  group.wait();
  return tree_tasks(depth);
}

/// Builds the whole graph before it starts. This is necessary, because a node that has already run does not wait for
/// edges that are added later.
std::int64_t run_graph(const OverheadOptions& options) {
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  for (std::int64_t task = 0; task < options.tasks; ++task) {
    nodes.emplace_back(graph, [](const continue_msg&) { compute_nothing(); });
    const Predecessors before = predecessors(options.shape, task);
    for (std::int64_t i = 0; i < before.count; ++i) {
      tbb::flow::make_edge(nodes[static_cast<std::size_t>(before.first + i)], nodes.back());
    }
  }
  for (std::int64_t task = 0; task < options.tasks; ++task) {
    if (predecessors(options.shape, task).count > 0) continue;
    nodes[static_cast<std::size_t>(task)].try_put(continue_msg());
  }
  graph.wait_for_all();
  return options.tasks;
}

}  // namespace

Json overhead(Parameters& parameters) {
  const OverheadOptions options = overhead_options(parameters);
  if (options.handles > 0) throw Unsupported("oneTBB has no data dependencies");
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(options.cores));
  tbb::task_arena arena(options.cores);
  return arena.execute([&] {
    return measure_overhead([&] {
      switch (options.shape) {
        case Shape::independent: return run_independent(options.tasks);
        case Shape::tree: return run_tree(tree_depth(options.tasks));
        case Shape::one_by_one: return run_one_by_one(options.tasks);
        default: return run_graph(options);
      }
    });
  });
}

}  // namespace troupe::bench
