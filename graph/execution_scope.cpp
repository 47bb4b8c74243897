#include "graph/execution_scope.hpp"

namespace troupe::graph {

namespace {
thread_local const ExecutionScope* innermost = nullptr;
}

ExecutionScope::ExecutionScope(const TaskGraph* graph, WorkerId worker)
    : graph_(graph), worker_(worker), outer_(innermost) {
  innermost = this;
}

ExecutionScope::~ExecutionScope() { innermost = outer_; }

const ExecutionScope* ExecutionScope::find(const TaskGraph* graph) {
  const ExecutionScope* scope = innermost;
  while (scope != nullptr && scope->graph_ != graph) scope = scope->outer_;
  return scope;
}

}  // namespace troupe::graph
