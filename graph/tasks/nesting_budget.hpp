/// The interface that bounds what the kernels of one client's nested tasks take.
#pragma once

#include "troupe/errors.hpp"

namespace troupe::graph {

/// Counts the children of nested tasks, and the kernels that wait for children. A graph without such an object sets no
/// bounds (`NestingRules::budget`). Any thread may call the functions, which must not use the graph.
class NestingBudget {
 public:
  virtual ~NestingBudget() = default;
  /// Returns whether there is room for one more child. Acquired data count as a child. If this fails, the kernel gets
  /// the failure. Called under the submission lock, as is `child_added`.
  virtual Result<void> check_child() = 0;
  /// Called when the child has been submitted, before it can begin.
  virtual void child_added() noexcept = 0;
  /// Called when a child has ended. May be called under locks of the graph.
  virtual void child_ended() noexcept = 0;
  /// Called before a kernel waits, since a kernel that waits may keep a thread. If this fails, the wait fails.
  virtual Result<void> begin_wait() = 0;
  virtual void end_wait() noexcept = 0;
};

}  // namespace troupe::graph
