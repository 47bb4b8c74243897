#include "graph/tasks/calling_thread.hpp"

#include <new>
#include <utility>

#include "graph/codelets/execution_scope.hpp"

namespace troupe::graph {

namespace {
thread_local WaitInterrupt* interrupt_here = nullptr;
}  // namespace

UnboundedSubmission::UnboundedSubmission(const TaskOwner* owner) {
  static_assert(sizeof(ExecutionScope) <= sizeof(scope_) && alignof(ExecutionScope) <= 8);
  new (scope_) ExecutionScope(owner, WorkerId{});
}
UnboundedSubmission::~UnboundedSubmission() {
  std::launder(reinterpret_cast<ExecutionScope*>(scope_))->~ExecutionScope();
}

WaitInterrupt::WaitInterrupt() : outer_(std::exchange(interrupt_here, this)) {}
WaitInterrupt::WaitInterrupt(const std::function<bool()>& gives_up)
    : gives_up_(&gives_up), outer_(std::exchange(interrupt_here, this)) {}
WaitInterrupt::~WaitInterrupt() { interrupt_here = outer_; }
WaitInterrupt* WaitInterrupt::here() {
  return interrupt_here != nullptr && interrupt_here->gives_up_ != nullptr ? interrupt_here : nullptr;
}
bool WaitInterrupt::gives_up() {
  gave_up_ = gave_up_ || (*gives_up_)();
  return gave_up_;
}

Failure gave_up_waiting() { return {ErrorCode::cancelled, "the wait was interrupted; the tasks go on"}; }

}  // namespace troupe::graph
