/// Which kernel or callback the calling thread is in.
#pragma once

#include "proto/ids.hpp"

namespace troupe::graph {

class TaskGraph;

/// While one lives, its thread runs a kernel or a callback of `graph`: submissions go to the worker's own deque and
/// never block, and waiting is refused. Scopes nest (a kernel of one runtime may use another runtime).
class ExecutionScope {
 public:
  ExecutionScope(const TaskGraph* graph, WorkerId worker);
  ~ExecutionScope();
  ExecutionScope(const ExecutionScope&) = delete;
  ExecutionScope& operator=(const ExecutionScope&) = delete;

  /// The innermost scope of the calling thread that belongs to `graph`, or null.
  [[nodiscard]] static const ExecutionScope* find(const TaskGraph* graph);

  [[nodiscard]] WorkerId worker() const { return worker_; }

 private:
  const TaskGraph* graph_;
  WorkerId worker_;
  const ExecutionScope* outer_;
};

}  // namespace troupe::graph
