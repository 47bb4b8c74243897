#include <cstdlib>
#include <vector>

#include "lab/bench/compute_kernel.hpp"
#include "lab/bench/runners/cases.hpp"
#include "lab/bench/runners/starpu/session_starpu.hpp"
#include "lab/bench/shapes.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

void do_nothing(void** /*buffers*/, void* /*argument*/) { compute_nothing(); }

/// The codelets of the case. In StarPU's own programs codelets are global; here this object outlives the session.
struct Codelets {
  explicit Codelets(int handles) {
    initialize(look, "look", do_nothing);
    initialize(touch, "touch", do_nothing);
    initialize(nothing, "nothing", do_nothing);
    look.nbuffers = touch.nbuffers = handles;
    for (int i = 0; i < handles; ++i) {
      look.modes[i] = STARPU_R;
      touch.modes[i] = STARPU_RW;
    }
  }
  starpu_codelet look{};
  starpu_codelet touch{};
  starpu_codelet nothing{};
};

std::int64_t run_on_data(const OverheadOptions& options, const StarpuVariables& variables, Codelets& codelets) {
  for (std::int64_t number = 0; number < options.tasks; ++number) {
    const DataUse use = data_use(options.shape, number);
    starpu_task* task = starpu_task_create();
    task->cl = use.writes ? &codelets.touch : &codelets.look;
    for (int i = 0; i < options.handles; ++i) {
      task->handles[i] = variables[static_cast<std::size_t>(use.set * options.handles + i)];
    }
    submit(task);
  }
  starpu_task_wait_for_all();
  return options.tasks;
}

/// Runs tasks with declared dependencies. If other tasks are declared to depend on a task, StarPU must not destroy that
/// task automatically.
std::int64_t run_declared(const OverheadOptions& options, Codelets& codelets) {
  std::vector<starpu_task*> tasks(static_cast<std::size_t>(options.tasks));
  for (std::int64_t number = 0; number < options.tasks; ++number) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelets.nothing;
    task->destroy = 0;
    const Predecessors before = predecessors(options.shape, number);
    if (before.count > 0) {
      starpu_task_declare_deps_array(task, static_cast<unsigned>(before.count),
                                     &tasks[static_cast<std::size_t>(before.first)]);
    }
    submit(task);
    tasks[static_cast<std::size_t>(number)] = task;
  }
  starpu_task_wait_for_all();
  for (starpu_task* task : tasks) starpu_task_destroy(task);
  return options.tasks;
}

std::int64_t run_independent(const OverheadOptions& options, Codelets& codelets) {
  for (std::int64_t number = 0; number < options.tasks; ++number) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelets.nothing;
    submit(task);
  }
  starpu_task_wait_for_all();
  return options.tasks;
}

std::int64_t run_one_by_one(const OverheadOptions& options, Codelets& codelets) {
  for (std::int64_t number = 0; number < options.tasks; ++number) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelets.nothing;
    task->synchronous = 1;
    submit(task);
  }
  return options.tasks;
}

/// The codelet of the tree's tasks. Each task submits its children, which have the same codelet.
struct Node {
  starpu_codelet codelet{};
};

void submit_node(Node& node, int depth);

struct NodeArguments {
  Node* node;
  int depth;
};

void run_node(void** /*buffers*/, void* argument) {
  const NodeArguments arguments = *static_cast<NodeArguments*>(argument);
  if (arguments.depth == 0) return compute_nothing();
  submit_node(*arguments.node, arguments.depth - 1);
  submit_node(*arguments.node, arguments.depth - 1);
}

void submit_node(Node& node, int depth) {
  auto* arguments = static_cast<NodeArguments*>(std::malloc(sizeof(NodeArguments)));  // NOLINT: StarPU frees it
  *arguments = {&node, depth};
  starpu_task* task = starpu_task_create();
  task->cl = &node.codelet;
  task->cl_arg = arguments;
  task->cl_arg_size = sizeof(NodeArguments);
  task->cl_arg_free = 1;
  submit(task);
}

std::int64_t run_tree(Node& node, int depth) {
  submit_node(node, depth);
  starpu_task_wait_for_all();
  return tree_tasks(depth);
}

}  // namespace

Json overhead(Parameters& parameters) {
  const OverheadOptions options = overhead_options(parameters);
  Codelets codelets(options.handles);
  Node node;
  initialize(node.codelet, "node", run_node);
  constexpr std::size_t kDoublesPerLine = 8;
  std::vector<double> values(static_cast<std::size_t>(data_sets(options.shape) * options.handles) * kDoublesPerLine);
  const StarpuSession session(options.cores);
  StarpuVariables variables;
  for (std::size_t i = 0; i < values.size(); i += kDoublesPerLine) variables.add(values[i]);
  return measure_overhead([&] {
    if (options.handles > 0) return run_on_data(options, variables, codelets);
    switch (options.shape) {
      case Shape::independent: return run_independent(options, codelets);
      case Shape::tree: return run_tree(node, tree_depth(options.tasks));
      case Shape::one_by_one: return run_one_by_one(options, codelets);
      default: return run_declared(options, codelets);
    }
  });
}

}  // namespace troupe::bench
