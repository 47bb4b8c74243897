/// A task graph whose tasks run one at a time, in the test's thread, when the test asks for it.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/task_graph.hpp"
#include "tests/support/run_task.hpp"

namespace troupe::tests {

/// A host that runs one task at a time. `ready` contains the ready tasks in the order in which they became ready. A
/// wait runs the tasks, oldest first, unless `pumps` is false.
class StepHost final : public graph::GraphHost {
 public:
  explicit StepHost(graph::GraphOptions options = {}) : graph(options, *this) {}

  void activate(graph::TaskList& tasks, WorkerId worker) noexcept override {
    last_activated_by = worker;
    ready.append(tasks);
  }
  Pump pump() override {
    if (!pumps || ready.empty()) return Pump::exhausted;
    step();
    return Pump::progressed;
  }

  /// Runs the oldest ready task as the given worker. Returns false if the task was parked or had been cancelled.
  bool step(WorkerId worker = WorkerId(0)) {
    graph::TaskList next;
    const bool ran = run_task(graph, *ready.pop_front(), worker, next);
    ready.append(next);
    return ran;
  }
  void run_all() {
    while (!ready.empty()) step();
  }

  graph::TaskList ready;
  bool pumps = true;
  WorkerId last_activated_by;
  graph::TaskGraph graph;
};

}  // namespace troupe::tests
