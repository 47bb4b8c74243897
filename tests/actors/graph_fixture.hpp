/// A task graph without workers, for tests that act as the worker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/task_graph.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests {

/// Collects the tasks that are ready when they are submitted, and wakes no worker.
class ReadyTasks final : public graph::GraphHost {
 public:
  void activate(graph::TaskList& ready, WorkerId) noexcept override { tasks.append(ready); }
  Pump pump() override { return Pump::exhausted; }

  graph::TaskList tasks;
};

/// Makes tasks in a task graph for tests. The graph keeps the tasks that do not end.
class GraphFixture {
 public:
  /// Makes a graph. If `cuda` is true, the graph accepts tasks for CUDA GPUs, too.
  explicit GraphFixture(std::size_t workers = 1, bool cuda = false)
      : graph({.workers = workers,
               .device_kinds = cuda ? kEveryKind : kind_set(DeviceKind::cpu_core),
               .window = std::size_t{1} << 20U},
              ready_) {}

  /// Submits a task that can run at once.
  graph::Task* task(int priority = 0, std::string name = {}) {
    submit(empty_, {}, {.priority = priority, .name = std::move(name)});
    return ready_.tasks.pop_front();
  }
  /// Submits a task on `accesses`, which may have to wait.
  Future submit(const Codelet& codelet, const std::vector<Access>& accesses = {}, const TaskOptions& options = {}) {
    return graph.submit({codelet, accesses, {}, options}).value_or_throw();
  }
  /// Returns the tasks that submissions have made ready since the last call.
  graph::TaskList take_ready() {
    graph::TaskList taken;
    taken.append(ready_.tasks);
    return taken;
  }
  /// Registers one variable of the test.
  template <class T>
  Handle scalar(T& value) {
    return graph.register_data({layout_of<T>(1, 1, 1), reinterpret_cast<std::byte*>(&value), nullptr, {}});
  }

 private:
  ReadyTasks ready_;

 public:
  graph::TaskGraph graph;

 private:
  const Codelet empty_ = Codelet("empty", {}).cpu([](const KernelContext&) {});
};

inline std::uint64_t id_of(const graph::Task* task) { return task->task_id().value(); }

}  // namespace troupe::tests
