/// The interface for objects that want to know how every task ended.
#pragma once

#include <cstdint>

#include "graph/tasks/failure_log.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

class TaskEndings {
 public:
  virtual ~TaskEndings() = default;
  /// Says that a task has ended; its successors may have begun. `tag` is the number that its submission gave
  /// (`TaskSpecification::tag`); 0 for tasks of recordings and those that combine reductions. `cause` says why it did
  /// not succeed; null if it did. Called in the thread of a worker: must be short, and not use the graph.
  virtual void ended(std::uint64_t tag, TaskStatus status, const FailureLog::Cause& cause) noexcept = 0;
  /// Says that `tasks` tasks of a recording have been cancelled at once, as their run had not begun. Equals `ended`
  /// with tag 0 for each of them, but a run may have millions of tasks.
  virtual void cancelled_unbegun(std::uint64_t tasks) noexcept = 0;
};

}  // namespace troupe::graph
