#include "actors/workers/core_device.hpp"

#include <exception>

#include "graph/codelet.hpp"
#include "graph/data_record.hpp"
#include "graph/data_registry.hpp"
#include "graph/execution_scope.hpp"

namespace troupe::workers {

void CoreDevice::prepare(const graph::Task& task) {
  if (views_.size() < task.access_count) views_.resize(task.access_count);
  DataView* view = views_.data();
  for (const graph::TaskAccess& access : task.data()) {
    graph::DataRecord& record = *access.data();
    if (access.mode() == AccessMode::reduce) {
      *view = record.reduction->partial(options_.worker.index(), record.layout);
    } else {
      // Member by member: a temporary, written in parts and read as a whole, costs more than all the rest.
      view->data = record.host;
      view->layout = record.layout;
    }
    ++view;
  }
}

void CoreDevice::note(const graph::Task& task, const KernelContext& context, TimeStamp start) {
  TraceEntry entry{task.codelet, task.task_id(), start, options_.clock->now(), 0};
  if (task.codelet->flops) entry.flops = task.codelet->flops(context);
  options_.trace->push_back(entry);
}

graph::FailureLog::Cause CoreDevice::failure(const graph::Task& task, ErrorCode code, const char* what) const {
  return std::make_shared<Failure>(Failure{code, graph::describe(task) + " failed on worker " +
                                                     std::to_string(options_.worker.value()) + " (" + options_.name +
                                                     "): " + what});
}

Started CoreDevice::start(graph::Task& task) noexcept {
  try {
    try {
      prepare(task);
      KernelContext context({views_.data(), task.access_count}, task.argument_bytes.data(), task.argument_offsets.data());
      context.worker = options_.worker;
      context.task = task.task_id();
      const graph::ExecutionScope scope(options_.graph, options_.worker);
      const TimeStamp start = options_.trace != nullptr ? options_.clock->now() : TimeStamp{};
      task.codelet->kernels[static_cast<int>(DeviceKind::cpu_core)](context);
      if (options_.trace != nullptr) note(task, context, start);
      return {true, nullptr};
    } catch (const Error& error) {
      // The kernel knows best what kind of failure it is.
      return {true, failure(task, error.code(), error.what())};
    } catch (const std::exception& error) {
      return {true, failure(task, ErrorCode::kernel_failed, error.what())};
    } catch (...) {
      return {true, failure(task, ErrorCode::kernel_failed, "the kernel threw something that is no std::exception")};
    }
  } catch (...) {
    // No memory left to say what happened.
    static const auto bare = std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "a kernel failed"});
    return {true, bare};
  }
}

}  // namespace troupe::workers
