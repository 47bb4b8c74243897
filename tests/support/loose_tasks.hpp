/// Tasks that belong to no graph.
#pragma once

#include <cstddef>
#include <memory>

#include "graph/tasks/task.hpp"

namespace troupe::tests {

/// Tasks for tests of queues. Queues use only a task's priority and its pointer to the next task. A task's id is its
/// index.
class LooseTasks {
 public:
  explicit LooseTasks(std::size_t count) : tasks_(std::make_unique<graph::Task[]>(count)) {
    for (std::size_t i = 0; i < count; ++i) tasks_[i].id = i;
  }
  graph::Task* operator()(std::size_t index, int priority = 0) {
    tasks_[index].priority = priority;
    return &tasks_[index];
  }

 private:
  std::unique_ptr<graph::Task[]> tasks_;
};

}  // namespace troupe::tests
