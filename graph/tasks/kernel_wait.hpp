/// Kernel wait: a wait in a kernel, whose worker goes on meanwhile.
#pragma once

#include "graph/tasks/task.hpp"
#include "graph/tasks/task_owner.hpp"

namespace troupe::graph {

/// The kernel waits for all its children, for one child, for data that its children use, or for another runtime.
/// Meanwhile the kernel's worker runs other tasks (`GraphHost::wait_inside`).
class KernelWait : public BlockingWait {
 public:
  /// `task` is the task whose kernel waits.
  KernelWait(Task& task, Domain* domain) : task_(task), domain_(domain) {}

  [[nodiscard]] Task& task() const { return task_; }
  /// Returns the domain of the task whose kernel waits. The tasks of this domain, and of domains inside it, may run in
  /// the kernel's thread meanwhile, because they never wait for the kernel. Null if the kernel waits for another
  /// runtime: then no task runs in its thread.
  [[nodiscard]] Domain* domain() const { return domain_; }

 private:
  Task& task_;
  Domain* const domain_;
};

}  // namespace troupe::graph
