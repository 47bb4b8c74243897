/// Scopes by which a thread of the program changes how its own calls behave. Bindings for other languages need them,
/// because an interpreter has a lock of its own and handles signals. The functions are not inline, so that all
/// libraries of a process share one set of thread-local variables.
#pragma once

#include <cstddef>
#include <functional>

#include "troupe/errors.hpp"

namespace troupe::graph {

class TaskOwner;

/// While an `UnboundedSubmission` lives, submissions of the calling thread to `owner` do not wait for room in the
/// window, just as submissions from kernels do not. Meanwhile the thread can neither wait for tasks nor record any.
class UnboundedSubmission {
 public:
  explicit UnboundedSubmission(const TaskOwner* owner);
  ~UnboundedSubmission();
  UnboundedSubmission(const UnboundedSubmission&) = delete;
  UnboundedSubmission& operator=(const UnboundedSubmission&) = delete;

 private:
  /// Memory for an `ExecutionScope`, which marks the thread as inside a kernel. This header must not touch the
  /// thread-local variables of that class.
  alignas(8) std::byte scope_[32];
};

/// While a `WaitInterrupt` lives, the calling thread's waits for all tasks, or for room in the window, call `gives_up`
/// ten times a second. They fail with `cancelled` when it returns true.
class WaitInterrupt {
 public:
  /// `gives_up` must live as long as this object. It is called without any lock.
  explicit WaitInterrupt(const std::function<bool()>& gives_up);
  ~WaitInterrupt();
  WaitInterrupt(const WaitInterrupt&) = delete;
  WaitInterrupt& operator=(const WaitInterrupt&) = delete;

  /// Returns the function `gives_up` of the calling thread's innermost `WaitInterrupt`, or null.
  [[nodiscard]] static const std::function<bool()>* here();

 private:
  const std::function<bool()>* outer_;
};

/// Returns the failure of a wait that was given up.
[[nodiscard]] Failure gave_up_waiting();

}  // namespace troupe::graph
