#include "actors/run_services.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "graph/codelet.hpp"
#include "graph/data_registry.hpp"
#include "graph/working_set.hpp"

namespace troupe::actors {

namespace {

/// Requests of the program have numbers that no task has.
constexpr std::uint64_t kProgram = std::uint64_t{1} << 63U;
/// Above the bits of a task's id: how often its request was withdrawn.
constexpr unsigned kAttempts = 48;

}  // namespace

RunServices::RunServices(Setup setup) : setup_(std::move(setup)) {
  if (setup_.simulation != nullptr) {
    memory::MemoryOptions options = setup_.simulation->memory_options();
    highest_use_.resize(options.nodes.size());
    memory_ = std::make_shared<memory::MemoryState>(std::move(options), *this);
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

memory::RequestId RunServices::request_of(const graph::Task& task) const {
  std::uint64_t number = task.task_id().value();
  if (attempts_.empty()) return memory::RequestId(number);
  if (const auto found = attempts_.find(number); found != attempts_.end()) number |= found->second << kAttempts;
  return memory::RequestId(number);
}

void RunServices::acquire(WorkerId worker, graph::Task& task) {
  know(task);
  memory::MemoryEvent event;
  event.kind = memory::MemoryEvent::Kind::acquire;
  event.node = setup_.nodes[worker.index()];
  if (event.node != memory::kHost) {
    if (const graph::DataRecord* whole = graph::find_whole_of_parts(task)) {
      refuse({worker, &task}, {ErrorCode::invalid_argument,
                               fmt::format("{} has parts, which lie apart in the memory of a GPU, so that a kernel can "
                                           "use it as a whole on a core only: give the codelet an implementation for "
                                           "cores, or release the parts first",
                                           graph::describe(*whole))});
      return;
    }
  }
  graph::append_working_set(task, event.uses);
  if (setup_.submitted) setup_.submitted->mark_last_writes(event.uses);
  {
    const std::lock_guard lock(mutex_);
    event.request = request_of(task);
    requests_[event.request] = {worker, &task};
  }
  post(std::move(event));
}

void RunServices::withdraw(WorkerId worker, graph::Task& task) {
  memory::RequestId request;
  {
    const std::lock_guard lock(mutex_);
    request = request_of(task);
    requests_.erase(request);
    // Its next request is another one: an answer to this may be on its way.
    ++attempts_[task.task_id().value()];
  }
  post_release(request);
  left(worker, task.task_id(), false);
}

void RunServices::left(WorkerId worker, TaskId task, bool ended) {
  if (ended && setup_.submitted) setup_.submitted->ended(task);
  if (ended && memory_) forget_attempts(task);
  if (!setup_.tell_scheduler) return;
  news_.post({.kind = scheduler::SchedulerEvent::Kind::left, .worker = worker, .task = task});
  if (setup_.wake_scheduler) setup_.peers->tell_scheduler();
}

void RunServices::forget_attempts(TaskId task) {
  const std::lock_guard lock(mutex_);
  if (!attempts_.empty()) attempts_.erase(task.value());
}

void RunServices::started(WorkerId worker, const graph::Task& task) {
  if (!setup_.tell_scheduler) return;
  news_.post({.kind = scheduler::SchedulerEvent::Kind::started,
              .worker = worker,
              .task = task.task_id(),
              .at = setup_.clock->now()});
}

void RunServices::ended(WorkerId worker, graph::Task& task, TimeStamp start, TimeStamp end, bool failed) {
  if (memory_) {
    memory::RequestId request;
    {
      const std::lock_guard lock(mutex_);
      request = request_of(task);
      if (!attempts_.empty()) attempts_.erase(task.task_id().value());
    }
    post_release(request);
  }
  if (setup_.submitted) setup_.submitted->ended(task.task_id());
  if (!setup_.tell_scheduler) return;
  news_.post({.kind = failed ? scheduler::SchedulerEvent::Kind::left : scheduler::SchedulerEvent::Kind::ended,
              .worker = worker,
              .task = task.task_id(),
              .at = end,
              .took = end - start});
  if (setup_.wake_scheduler) setup_.peers->tell_scheduler();
}

void RunServices::note_use(NodeId node) {
  Bytes& highest = highest_use_[node.index()];
  highest = std::max(highest, memory_->core().used(node));
}

void RunServices::copy(const memory::Command& transfer) {
  note_use(transfer.to);
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
  note_use(setup_.nodes[asked.worker.index()]);
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
  if (asked.task != nullptr) refuse(asked, failure);
}

void RunServices::refuse(const Request& asked, const Failure& failure) {
  const auto& kinds = setup_.crew->kinds;
  const bool elsewhere = failure.code != ErrorCode::transfer_failed &&
                         kinds[asked.worker.index()] != DeviceKind::cpu_core &&
                         std::find(kinds.begin(), kinds.end(), DeviceKind::cpu_core) != kinds.end() &&
                         asked.task->codelet->runs_on(DeviceKind::cpu_core);
  graph::FailureLog::Cause cause;
  if (!elsewhere) {
    cause = std::make_shared<Failure>(
        Failure{failure.code, fmt::format("{} failed on worker {}: {}", graph::describe(*asked.task),
                                          asked.worker.value(), failure.message)});
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
  for (std::uint32_t node = 1; node < highest_use_.size(); ++node) {
    report.memories.push_back({NodeId(node), memory_->core().capacity(NodeId(node)), highest_use_[node]});
  }
  report.evictions = statistics.evictions;
  report.write_backs = statistics.write_backs;
  report.prefetches = statistics.prefetches;
  report.prefetches_used = statistics.prefetches_used;
  return report;
}

}  // namespace troupe::actors
