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

/// While a `WaitInterrupt` lives, the calling thread's waits call a function ten times a second. If the function
/// returns true, the wait is given up and fails with `cancelled`; it then has had no effect, and holds no data. Waits
/// for one task (`Future::wait`), waits of kernels and the ends of registrations by destructors are not given up.
class WaitInterrupt {
 public:
  /// Makes an interrupt that gives up no wait. While it lives, the interrupts around it have no effect.
  WaitInterrupt();
  /// `gives_up` must live as long as this object. It is called without any lock, and not again after it has returned
  /// true.
  explicit WaitInterrupt(const std::function<bool()>& gives_up);
  ~WaitInterrupt();
  WaitInterrupt(const WaitInterrupt&) = delete;
  WaitInterrupt& operator=(const WaitInterrupt&) = delete;

  /// Returns the calling thread's innermost `WaitInterrupt` if this can give up waits, and null otherwise.
  [[nodiscard]] static WaitInterrupt* here();
  /// Asks the function. After the answer true, the answer stays true.
  [[nodiscard]] bool gives_up();
  [[nodiscard]] bool gave_up() const { return gave_up_; }

 private:
  const std::function<bool()>* gives_up_ = nullptr;
  bool gave_up_ = false;
  WaitInterrupt* const outer_;
};

/// Returns the failure of a wait that was given up.
[[nodiscard]] Failure gave_up_waiting();

}  // namespace troupe::graph
