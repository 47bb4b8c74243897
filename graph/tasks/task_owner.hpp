/// The owner of futures, handles and recordings.
#pragma once

#include <coroutine>
#include <optional>

#include "troupe/errors.hpp"
#include "troupe/handle.hpp"

namespace troupe::client {
class Backend;
}

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
  /// Returns the failure of a task that has ended, if it did not succeed. Never blocks.
  virtual Result<void> outcome(const Future& future) = 0;

  // The next functions are for coroutines.

  /// Resumes a coroutine in a task of its own, which runs when the task of `future` has ended, whatever its outcome, or
  /// at once if the future is empty. Cancellation does not reach it. If this fails, the coroutine is not resumed.
  virtual Result<void> resume_after(const Future& future, std::coroutine_handle<> waiting) = 0;
  /// Returns the future of a coroutine's end, for which no task stands.
  virtual Result<Future> begin_coroutine() = 0;
  /// Ends the coroutine; it has failed if there is a failure.
  virtual void end_coroutine(const Future& end, std::optional<Failure> failure) = 0;

  /// Sets the backend that kernels and callbacks of the tasks find by `Runtime::here`. Called before the first task.
  void reach(client::Backend* backend) { backend_ = backend; }
  /// Returns that backend; null if there is none.
  [[nodiscard]] client::Backend* backend() const { return backend_; }

 protected:
  TaskOwner() = default;
  ~TaskOwner() = default;

 private:
  client::Backend* backend_ = nullptr;
};

}  // namespace troupe::graph
