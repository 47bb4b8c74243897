/// The interface that limits the children and the waits of the kernels of one client's nested tasks.
#pragma once

#include "troupe/errors.hpp"

namespace troupe::graph {

/// Counts the children of nested tasks, and the kernels that wait for children. A graph without a budget has no limits
/// (`NestingRules::budget`). Any thread may call the functions, which must not use the graph.
class NestingBudget {
 public:
  virtual ~NestingBudget() = default;
  /// Fails if there is no room for one more child; the kernel gets the failure. Data that the kernel acquires count as
  /// a child. `check_child` and `child_added` are called under the submission lock.
  virtual Result<void> check_child() = 0;
  /// Called when the child has been submitted, before it can begin.
  virtual void child_added() noexcept = 0;
  /// Called when a child has ended. May be called under locks of the graph.
  virtual void child_ended() noexcept = 0;
  /// Called before a kernel waits, because a waiting kernel may occupy a thread. If this function fails, the wait
  /// fails.
  virtual Result<void> begin_wait() = 0;
  virtual void end_wait() noexcept = 0;
};

}  // namespace troupe::graph
