/// The functions by which kernels find the graph of their task, their data and their runtime.
#include <string>

#include "graph/codelets/execution_scope.hpp"
#include "graph/data/domain.hpp"
#include "graph/here.hpp"
#include "graph/task_graph.hpp"
#include "troupe/kernel_context.hpp"

namespace troupe {

namespace {

Handle handle_of(const graph::TaskAccess& access) { return {access.data(), access.data()->handle_id()}; }

const graph::Task& task_of(const KernelContext& context) {
  if (context.record != nullptr) return *context.record;
  throw Error(ErrorCode::invalid_argument, "a kernel that is called outside of a runtime has no handles");
}

}  // namespace

Handle KernelContext::handle(std::size_t index) const {
  const graph::Task& task = task_of(*this);
  if (index >= task.data().size()) refuse_index(index);
  return handle_of(task.data()[index]);
}

std::size_t KernelContext::weak_size() const {
  const graph::Domain* const own = record != nullptr ? record->own_domain() : nullptr;
  return own != nullptr ? own->weak.size() : 0;
}

Handle KernelContext::weak(std::size_t index) const {
  if (index < weak_size()) return handle_of(task_of(*this).own_domain()->weak[index]);
  throw Error(ErrorCode::invalid_argument, "the kernel asked for weak data " + std::to_string(index) +
                                               ", counting from 0, and the task has " + std::to_string(weak_size()));
}

bool KernelContext::ask_whether_cancelled() const {
  const graph::TaskGraph* const of_client = record->client_graph();
  const graph::TaskGraph* const graph = of_client != nullptr ? of_client : task_graph;
  return graph != nullptr && graph->tell_if_cancelled(*record);
}

namespace graph {

bool ExecutionScope::Place::is_of_client(const TaskOwner* owner) const {
  return task_ != nullptr && owner != nullptr && task_->client_graph() == owner;
}

const TaskOwner* ExecutionScope::owner_here() {
  const Place* const place = innermost_ != nullptr ? innermost_ : joined_;
  if (place == nullptr) return nullptr;
  const TaskGraph* const of_client = place->task_ != nullptr ? place->task_->client_graph() : nullptr;
  return of_client != nullptr ? of_client : place->owner_;
}

Result<void> TaskGraph::check_inside_nested() const {
  if (nesting_task_here(state_) != nullptr) return {};
  return Failure{ErrorCode::invalid_argument,
                 "on a service, only the kernel of a nested task uses its runtime: submit the task with "
                 "TaskOptions::nested, and leave the runtime alone in callbacks"};
}

}  // namespace graph
}  // namespace troupe
