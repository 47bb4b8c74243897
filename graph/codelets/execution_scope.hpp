/// Which kernel or callback the calling thread is in.
#pragma once

#include "proto/ids.hpp"

namespace troupe::graph {

class TaskOwner;

/// While one lives, its thread runs a kernel or a callback of `owner`: submissions go to the worker's own deque and
/// never block, and waiting is refused. Scopes nest (a kernel of one runtime may use another runtime).
class ExecutionScope {
 public:
  ExecutionScope(const TaskOwner* owner, WorkerId worker) : owner_(owner), worker_(worker), outer_(innermost_) {
    innermost_ = this;
  }
  ~ExecutionScope() { innermost_ = outer_; }
  ExecutionScope(const ExecutionScope&) = delete;
  ExecutionScope& operator=(const ExecutionScope&) = delete;

  /// The innermost scope of the calling thread that belongs to `owner`, or null.
  [[nodiscard]] static const ExecutionScope* find(const TaskOwner* owner) {
    const ExecutionScope* scope = innermost_;
    while (scope != nullptr && scope->owner_ != owner) scope = scope->outer_;
    return scope;
  }

  [[nodiscard]] WorkerId worker() const { return worker_; }

 private:
  const TaskOwner* owner_;
  WorkerId worker_;
  const ExecutionScope* outer_;

  static thread_local constinit const ExecutionScope* innermost_;
};

inline thread_local constinit const ExecutionScope* ExecutionScope::innermost_ = nullptr;

}  // namespace troupe::graph
