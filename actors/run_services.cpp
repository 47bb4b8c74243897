#include "actors/run_services.hpp"

#include <fmt/format.h>

#include "graph/codelet.hpp"
#include "graph/data_registry.hpp"
#include "graph/working_set.hpp"

namespace troupe::actors {

namespace {

memory::RequestId request_of(const graph::Task& task) { return memory::RequestId(task.task_id().value()); }

/// Requests of the program have numbers that no task has.
constexpr std::uint64_t kProgram = std::uint64_t{1} << 63U;

}  // namespace

RunServices::RunServices(Setup setup) : setup_(std::move(setup)) {
  if (setup_.simulation != nullptr) {
    memory_ = std::make_shared<memory::MemoryState>(setup_.simulation->memory_options(), *this);
  }
}

void RunServices::post(memory::MemoryEvent event) {
  if (memory_->inbox().post(std::move(event))) setup_.peers->tell_memory();
}

void RunServices::post_release(memory::RequestId request) {
  memory::MemoryEvent event;
  event.kind = memory::MemoryEvent::Kind::release;
  event.request = request;
  post(std::move(event));
}

void RunServices::know(const graph::Task& task) {
  if (!setup_.simulation->options().real_buffers) return;
  for (const graph::TaskAccess& access : task.data()) {
    access.data()->visit_data([this](const graph::DataRecord& part) { setup_.simulation->know(part); });
  }
}

void RunServices::acquire(WorkerId worker, graph::Task& task) {
  know(task);
  memory::MemoryEvent event;
  event.kind = memory::MemoryEvent::Kind::acquire;
  event.node = setup_.nodes[worker.index()];
  event.request = request_of(task);
  graph::append_working_set(task, event.uses);
  if (setup_.submitted) setup_.submitted->mark_last_writes(event.uses);
  {
    const std::lock_guard lock(mutex_);
    requests_[event.request] = {worker, &task};
  }
  post(std::move(event));
}

void RunServices::withdraw(WorkerId worker, graph::Task& task) {
  (void)take_request(request_of(task));
  post_release(request_of(task));
  if (setup_.tell_scheduler) {
    news_.post({.kind = scheduler::SchedulerEvent::Kind::left, .worker = worker, .task = task.task_id()});
  }
}

void RunServices::started(WorkerId worker, const graph::Task& task) {
  if (!setup_.tell_scheduler) return;
  news_.post({.kind = scheduler::SchedulerEvent::Kind::started,
              .worker = worker,
              .task = task.task_id(),
              .at = setup_.clock->now()});
}

void RunServices::ended(WorkerId worker, graph::Task& task, TimeStamp start, TimeStamp end) {
  if (memory_) post_release(request_of(task));
  if (setup_.submitted) setup_.submitted->ended(task.task_id());
  if (!setup_.tell_scheduler) return;
  news_.post({.kind = scheduler::SchedulerEvent::Kind::ended,
              .worker = worker,
              .task = task.task_id(),
              .at = end,
              .took = end - start});
  if (setup_.wake_scheduler) setup_.peers->tell_scheduler();
}

void RunServices::copy(const memory::Command& transfer) {
  setup_.simulation->copy(transfer, [this, id = transfer.transfer] {
    memory::MemoryEvent event;
    event.kind = memory::MemoryEvent::Kind::transfer_done;
    event.transfer = id;
    post(std::move(event));
  });
}

void RunServices::hurry(memory::TransferId transfer) { setup_.simulation->hurry(transfer); }

RunServices::Request RunServices::take_request(memory::RequestId request) {
  const std::lock_guard lock(mutex_);
  auto found = requests_.extract(request);
  return found.empty() ? Request{} : found.mapped();
}

void RunServices::acquired(memory::RequestId request) {
  if (request.value() >= kProgram) {
    const std::lock_guard lock(mutex_);
    home_.emplace(request, Result<void>());
    return;
  }
  const Request asked = take_request(request);
  if (asked.task == nullptr) return;  // withdrawn
  workers::WorkerPort& port = setup_.crew->ports[asked.worker.index()];
  {
    const std::lock_guard lock(port.arrived_lock);
    port.arrived.push_back(asked.task);
  }
  setup_.peers->send(asked.worker, DataArrived{});
}

void RunServices::refused(const memory::Command& command) {
  const bool too_large = command.kind == memory::Command::Kind::cannot_fit;
  const std::string why = too_large ? fmt::format("its data need {} bytes on memory node {}, which has {}",
                                                  command.needed.count, command.node.value(), command.capacity.count)
                                    : fmt::format("the data of handle {} could not be copied to memory node {}",
                                                  command.handle.value(), command.node.value());
  const Failure failure{too_large ? ErrorCode::out_of_memory : ErrorCode::transfer_failed, why};
  if (command.request.value() >= kProgram) {
    const std::lock_guard lock(mutex_);
    home_.emplace(command.request, Result<void>(failure));
    return;
  }
  const Request asked = take_request(command.request);
  if (asked.task == nullptr) return;
  const auto& kinds = setup_.crew->kinds;
  const bool elsewhere = too_large && kinds[asked.worker.index()] != DeviceKind::cpu_core &&
                         std::find(kinds.begin(), kinds.end(), DeviceKind::cpu_core) != kinds.end() &&
                         asked.task->codelet->runs_on(DeviceKind::cpu_core);
  graph::FailureLog::Cause cause;
  if (!elsewhere) {
    cause = std::make_shared<Failure>(
        Failure{failure.code,
                fmt::format("{} failed on worker {}: {}", graph::describe(*asked.task), asked.worker.value(), why)});
  }
  if (setup_.tell_scheduler) {
    news_.post({.kind = scheduler::SchedulerEvent::Kind::left, .worker = asked.worker, .task = asked.task->task_id()});
  }
  workers::WorkerPort& port = setup_.crew->ports[asked.worker.index()];
  {
    const std::lock_guard lock(port.arrived_lock);
    port.refused.push_back({asked.task, std::move(cause)});
  }
  setup_.peers->send(asked.worker, DataArrived{});
}

void RunServices::replica_changed(HandleId handle, NodeId node, memory::ReplicaState state) {
  if (!setup_.tell_scheduler) return;
  news_.post(
      {.kind = scheduler::SchedulerEvent::Kind::replica_changed, .state = state, .node = node, .handle = handle});
}

void RunServices::prefetch(NodeId node, const graph::Task& task, std::span<const memory::Use> uses) {
  if (!memory_) return;
  know(task);
  memory::MemoryEvent event;
  event.kind = memory::MemoryEvent::Kind::prefetch;
  event.node = node;
  event.uses.assign(uses.begin(), uses.end());
  post(std::move(event));
}

Result<void> RunServices::bring_home(const graph::DataRecord& data, AccessMode mode,
                                     const std::function<bool()>& pump) {
  if (!memory_ || !setup_.simulation->options().real_buffers) return {};
  memory::MemoryEvent event;
  event.kind = memory::MemoryEvent::Kind::acquire;
  event.node = memory::kHost;
  data.visit_tree([&](const graph::DataRecord& part) {
    if (part.covered) return;
    setup_.simulation->know(part);
    event.uses.push_back({part.handle_id(), mode, part.view.layout.payload()});
  });
  const memory::RequestId request(kProgram | ++home_requests_);
  event.request = request;
  post(std::move(event));
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (auto answer = home_.extract(request); !answer.empty()) {
        if (!answer.mapped()) return answer.mapped();
        break;
      }
    }
    if (!pump()) {
      return Failure{ErrorCode::transfer_failed, graph::describe(data) + " could not be brought to host memory"};
    }
  }
  post_release(request);
  return {};
}

void RunServices::forget(const graph::DataRecord& data) {
  if (!memory_) return;
  setup_.simulation->forget(data.handle_id());
  memory::MemoryEvent event;
  event.kind = memory::MemoryEvent::Kind::forget;
  event.handle = data.handle_id();
  post(std::move(event));
}

DataView RunServices::replica(const graph::DataRecord& data, NodeId node) const {
  if (node == memory::kHost) return data.view;
  return setup_.simulation->replica(data, node, memory_->core().offset(data.handle_id(), node));
}

TransferReport RunServices::transfers() const {
  if (!memory_) return {};
  TransferReport report = setup_.simulation->transfers();
  const memory::MemoryStatistics& statistics = memory_->core().statistics();
  report.evictions = statistics.evictions;
  report.write_backs = statistics.write_backs;
  report.prefetches = statistics.prefetches;
  report.prefetches_used = statistics.prefetches_used;
  return report;
}

}  // namespace troupe::actors
