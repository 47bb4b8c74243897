#include "actors/workers/core_device.hpp"

#include <exception>

#include "graph/codelet.hpp"
#include "graph/data_record.hpp"
#include "graph/data_registry.hpp"
#include "graph/execution_scope.hpp"

namespace troupe::workers {

void CoreDevice::prepare(const graph::Task& task) {
  const std::span<const graph::TaskAccess> data = task.data();
  if (views_.size() < data.size()) views_.resize(data.size());
  const DataView** view = views_.data();
  bool reduces = false;
  for (const graph::TaskAccess& access : data) {
    reduces = reduces || access.mode() == AccessMode::reduce;
    *view++ = &access.data()->view;
  }
  if (reduces || options_.find_replica) [[unlikely]] {
    partials_.clear();
    if (options_.find_replica) use_replicas(data);
    if (reduces) use_partials(data);
  }
}

void CoreDevice::use_replicas(std::span<const graph::TaskAccess> data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i].mode() != AccessMode::reduce) {
      views_[i] = &partials_.emplace_back(options_.find_replica(*data[i].data()));
    }
  }
}

void CoreDevice::use_partials(std::span<const graph::TaskAccess> data) {
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (data[i].mode() == AccessMode::reduce) views_[i] = partial(*data[i].data());
  }
}

const DataView* CoreDevice::partial(graph::DataRecord& record) {
  return &partials_.emplace_back(record.reduction->partial(options_.worker.index(), record.view.layout));
}

KernelContext CoreDevice::context_of(const graph::Task& task) const {
  KernelContext context({views_.data(), task.access_count}, task.argument_bytes.data(), task.argument_offsets.data());
  context.worker = options_.worker;
  context.task = task.task_id();
  return context;
}

void CoreDevice::note(const graph::Task& task, bool failed) noexcept {
  TaskSpan span{task.codelet, task.task_id(), kernel_start_, options_.clock->now(), 0, task.priority, failed};
  try {
    if (task.codelet->flops && !failed) span.flops = task.codelet->flops(context_of(task));
  } catch (...) {
    // The program's function: a trace must not change the task's outcome.
  }
  options_.trace->ran(span, task.extras ? &task.extras->name : nullptr);
}

graph::FailureLog::Cause CoreDevice::failure(const graph::Task& task, ErrorCode code, const char* what) const {
  return std::make_shared<Failure>(Failure{code, graph::describe(task) + " failed on worker " +
                                                     std::to_string(options_.worker.value()) + " (" + options_.name +
                                                     "): " + what});
}

graph::FailureLog::Cause CoreDevice::current_exception_of(const graph::Task& task) const {
  try {
    throw;
  } catch (const Error& error) {
    // The kernel knows best what kind of failure it is.
    return failure(task, error.code(), error.what());
  } catch (const std::exception& error) {
    return failure(task, ErrorCode::kernel_failed, error.what());
  } catch (...) {
    return failure(task, ErrorCode::kernel_failed, "the kernel threw something that is no std::exception");
  }
}

Started CoreDevice::start(graph::Task& task) noexcept {
  Started started{true, nullptr};
  kernel_start_ = {};
  try {
    try {
      prepare(task);
      const KernelContext context = context_of(task);
      const graph::ExecutionScope scope(options_.graph, options_.worker);
      if (options_.trace != nullptr) kernel_start_ = options_.clock->now();
      task.codelet->kernels[static_cast<int>(options_.kind)](context);
    } catch (...) {
      started.cause = current_exception_of(task);
    }
  } catch (...) {
    // No memory left to say what happened.
    started.cause = bare_failure_;
  }
  // A task whose kernel was not even called has not run.
  if (kernel_start_ != TimeStamp{}) note(task, started.cause != nullptr);
  return started;
}

}  // namespace troupe::workers
