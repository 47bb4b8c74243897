/// The interface for objects that are notified of the end of every task.
#pragma once

#include <cstdint>

#include "graph/tasks/failure_log.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

class TaskEndings {
 public:
  /// The tag of the children of nested tasks.
  static constexpr std::uint64_t kChild = ~std::uint64_t{0};

  virtual ~TaskEndings() = default;
  /// Called when a task has ended; its successors may have begun. `tag` is the number that its submission gave
  /// (`TaskSpecification::tag`); 0 for tasks of recordings and for tasks that combine reductions; `kChild` for
  /// children, whose ends are told before that of the nested task. `cause` is the reason if the task did not succeed,
  /// and null if it did. Called in the thread of a worker: must be short, and not use the graph.
  virtual void ended(std::uint64_t tag, TaskStatus status, const FailureLog::Cause& cause) noexcept = 0;
  /// Called instead of `ended` (with tag 0) for each of `tasks` tasks of a recording that were cancelled at once
  /// because their run had not begun: a run may have millions of tasks.
  virtual void cancelled_unbegun(std::uint64_t tasks) noexcept = 0;
};

}  // namespace troupe::graph
