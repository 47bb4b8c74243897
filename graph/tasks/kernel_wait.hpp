/// Kernel wait: a wait in the kernel of a nested task.
#pragma once

#include "graph/tasks/task.hpp"

namespace troupe::graph {

/// The kernel waits for all its children, for one child, or for data that its children use. Meanwhile the kernel's
/// worker runs other tasks (`GraphHost::wait_inside`).
class KernelWait {
 public:
  explicit KernelWait(Domain& domain) : domain_(domain) {}
  KernelWait(const KernelWait&) = delete;
  KernelWait& operator=(const KernelWait&) = delete;
  virtual ~KernelWait() = default;

  /// Returns true if the wait is over. The kernel's thread calls this repeatedly.
  [[nodiscard]] virtual bool done() noexcept = 0;
  /// Blocks the kernel's thread until the wait is over. Called at most once; `done` is not called afterwards.
  virtual void block() = 0;

  /// Returns the domain of the task whose kernel waits. The tasks of this domain, and of domains inside it, may run in
  /// the kernel's thread meanwhile, because they never wait for the kernel.
  [[nodiscard]] Domain& domain() const { return domain_; }

 private:
  Domain& domain_;
};

}  // namespace troupe::graph
