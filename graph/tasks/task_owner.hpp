/// The owner of futures, handles and recordings.
#pragma once

#include <coroutine>
#include <optional>

#include "troupe/errors.hpp"
#include "troupe/handle.hpp"
#include "troupe/ids.hpp"

namespace troupe::client {
class Backend;
}

namespace troupe::graph {

struct Task;

/// A wait of one thread.
class BlockingWait {
 public:
  BlockingWait() = default;
  BlockingWait(const BlockingWait&) = delete;
  BlockingWait& operator=(const BlockingWait&) = delete;
  virtual ~BlockingWait() = default;

  /// Returns true if the wait is over. The waiting thread calls this repeatedly.
  [[nodiscard]] virtual bool done() noexcept = 0;
  /// Blocks the thread until the wait is over. Called at most once; `done` is not called afterwards.
  virtual void block() = 0;
};

/// The receiver of a program's tasks: the task graph of a runtime inside the program, or the client of a service that
/// runs them. Handles and futures keep the address of their owner, so that those of another runtime are recognized.
/// Thread-safe.
class TaskOwner {
 public:
  /// Returns how the task ended, or `pending` if it has not. Never blocks.
  [[nodiscard]] virtual TaskStatus status(const Future& future) const = 0;
  /// Waits until the task has ended. Fails with the task's failure, or with `wait_in_kernel`.
  virtual Result<void> wait(const Future& future) = 0;
  /// Keeps the task from running if it has not started.
  virtual void cancel(const Future& future) = 0;
  /// Fails with the task's failure if the task has ended without success. Never blocks.
  virtual Result<void> outcome(const Future& future) = 0;

  // The next functions are for coroutines.

  /// Submits a task that resumes the coroutine. This task runs when the task of `future` has ended, successfully or
  /// not, or at once if the future is empty. It cannot be cancelled. If this function fails, the coroutine is not
  /// resumed.
  virtual Result<void> resume_after(const Future& future, std::coroutine_handle<> waiting) = 0;
  /// Returns the future of the end of a coroutine. No worker runs anything for this future: `end_coroutine` ends it.
  virtual Result<Future> begin_coroutine() = 0;
  /// Ends the future that `begin_coroutine` returned: as failed if there is a failure, else as succeeded.
  virtual void end_coroutine(const Future& end, std::optional<Failure> failure) = 0;

  /// Called by another owner in a thread in which `worker` runs the kernel of this owner's `task`. Returns when `wait`
  /// is over. If the kernel may be suspended, other threads use its core meanwhile.
  virtual void block_in_kernel(WorkerId /*worker*/, const Task& /*task*/, BlockingWait& wait) const { wait.block(); }

  /// Sets the backend that kernels and callbacks of the tasks find by `Runtime::here`. Called before the first
  /// submission.
  void reach(client::Backend* backend) { backend_ = backend; }
  /// Returns the backend that `reach` has set; null if it was not called.
  [[nodiscard]] client::Backend* backend() const { return backend_; }

 protected:
  TaskOwner() = default;
  ~TaskOwner() = default;

 private:
  client::Backend* backend_ = nullptr;
};

}  // namespace troupe::graph
