#include "tests/support/run_task.hpp"

#include <deque>
#include <exception>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/data_record.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests {

using graph::Begin;
using graph::FailureLog;

FailureLog::Cause run_kernel(const graph::TaskGraph& graph, graph::Task& task, WorkerId worker) {
  const auto failed = [&task](const char* what) {
    return std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, graph::describe(task) + " failed: " + what});
  };
  try {
    std::deque<DataView> partials;
    std::vector<const DataView*> views;
    for (const graph::TaskAccess& access : task.data()) {
      graph::DataRecord& record = *access.data();
      if (access.mode() == AccessMode::reduce) {
        partials.push_back(record.reduction->partial(worker.index(), record.view.layout));
      }
      views.push_back(access.mode() == AccessMode::reduce ? &partials.back() : &record.view);
    }
    KernelContext context(views, task.arguments());
    context.worker = worker;
    context.task = task.task_id();
    context.record = &task;
    context.task_graph = &graph;
    const graph::ExecutionScope scope(&graph, worker, &task);
    task.codelet->kernels[static_cast<int>(DeviceKind::cpu_core)](context);
    return nullptr;
  } catch (const std::exception& error) {
    return failed(error.what());
  } catch (...) {
    return failed("something that is no std::exception");
  }
}

bool run_task(graph::TaskGraph& graph, graph::Task& task, WorkerId worker, graph::TaskList& ready) {
  if (graph.begin(task, worker, ready) != Begin::run) return false;
  const FailureLog::Cause cause = run_kernel(graph, task, worker);
  graph.complete(task, cause, worker, ready);
  return true;
}

}  // namespace troupe::tests
