/// The owner of futures, handles and recordings.
#pragma once

#include "troupe/errors.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

/// The receiver of a program's tasks: the task graph of a runtime inside the program, or the client of a service that
/// runs them. Its address tells one runtime's handles and futures from another's. Thread-safe.
class TaskOwner {
 public:
  /// Returns how the task ended, or `pending` if it has not. Never blocks.
  [[nodiscard]] virtual TaskStatus status(const Future& future) const = 0;
  /// Waits until the task has ended. Fails with the task's failure, or with `wait_in_kernel`.
  virtual Result<void> wait(const Future& future) = 0;
  /// Keeps the task from running unless it has been started already.
  virtual void cancel(const Future& future) = 0;

 protected:
  TaskOwner() = default;
  ~TaskOwner() = default;
};

}  // namespace troupe::graph
