/// The interface for objects that are notified of the end of every task.
#pragma once

#include <cstdint>

#include "graph/tasks/failure_log.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

class TaskEndings {
 public:
  /// The value that `ended` gets in place of a tag for each child of a nested task.
  static constexpr std::uint64_t kChild = ~std::uint64_t{0};

  virtual ~TaskEndings() = default;
  /// Called when a task has ended; its successors may have begun. `tag` is the number that its submission gave
  /// (`TaskSpecification::tag`); 0 for tasks of recordings and for tasks that combine reductions; `kChild` for
  /// children. The calls for children come before the call for their nested task. `cause` is the reason if the task did
  /// not succeed, else null. Called in the thread of a worker: must be short, and not use the graph.
  virtual void ended(std::uint64_t tag, TaskStatus status, const FailureLog::Cause& cause) noexcept = 0;
  /// Called once for a run of a recording that was cancelled before it began, in place of one call of `ended` for each
  /// of its `tasks` tasks: a run may have millions of tasks.
  virtual void cancelled_unbegun(std::uint64_t tasks) noexcept = 0;
};

}  // namespace troupe::graph
