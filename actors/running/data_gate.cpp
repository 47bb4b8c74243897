#include "actors/running/data_gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "actors/memory/eviction/eviction_policies.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/data/working_set.hpp"
#include "troupe/codelet.hpp"

namespace troupe::actors {

namespace {

/// The lowest number for a task's second and later requests. A task's first request has a lower number, and the
/// program's requests have higher numbers.
constexpr std::uint64_t kAnew = std::uint64_t{1} << 62U;

}  // namespace

using graph::TaskEvent;
using Kind = memory::MemoryEvent::Kind;

DataGate::DataGate(Setup setup)
    : setup_(std::move(setup)),
      has_threads_(setup_.mode.has_threads()),
      memories_(*setup_.mode.memories()),
      asks_(setup_.plan.places.size()),
      granted_(setup_.plan.places.size()),
      reuse_(setup_.plan.options.accelerators.reuse_profile, setup_.plan.options.observation.on_warning) {
  memory::MemoryOptions options = memories_.memory_options();
  options.access_observer = setup_.plan.options.observation.access_observer;
  options.reuse_profile = reuse_.recorded();
  auto policy =
      memory::make_eviction_policy(setup_.plan.options.accelerators.eviction, setup_.upcoming).value_or_throw();
  for (std::size_t i = 0; reuse_.learned() != nullptr && i < reuse_.learned()->uses().size(); ++i) {
    const auto uses = static_cast<std::int64_t>(reuse_.learned()->uses()[i]);
    policy->set_reuse(HandleId(i), uses);
    setup_.submitted.set_reuse(HandleId(i), uses);
  }
  memory_ = std::make_shared<memory::MemoryState>(std::move(options), *this, std::move(policy));
}

void DataGate::post(memory::MemoryEvent event) {
  if (memory_->inbox().post(std::move(event))) setup_.peers.tell_memory();
}

void DataGate::post_and_handle(memory::MemoryEvent event) {
  // If another thread was asked before to handle the inbox, that thread handles this event, too.
  if (!memory_->inbox().post(std::move(event))) return;
  if (!has_threads_ || !memory_->try_to_handle_inbox()) setup_.peers.tell_memory();
}

void DataGate::post_release(memory::RequestId request) { leave({.kind = Kind::release, .request = request}); }

void DataGate::leave(memory::MemoryEvent event) {
  if (!has_threads_) return post_and_handle(std::move(event));
  if (!memory_->inbox().leave(std::move(event))) return;
  if (!memory_->try_to_handle_inbox()) setup_.peers.tell_memory();
}

bool DataGate::looks_for_replicas(WorkerId worker) const {
  return node_of(worker) != memory::kHost && memories_.holds_data();
}

void DataGate::grant(WorkerId worker, TaskId task, std::span<const memory::Use> uses, const memory::MemoryCore& core) {
  if (!looks_for_replicas(worker)) return;
  const NodeId node = node_of(worker);
  granted_[worker.index()].grant(task, uses, [&](HandleId handle) { return core.offset(handle, node); });
}

void DataGate::know(const graph::Task& task) {
  if (memories_.holds_data()) setup_.views.know(task);
}

memory::RequestId DataGate::request_of(TaskId task) const {
  const memory::RequestId request(task.value());
  if (!any_anew_.load(std::memory_order_relaxed)) return request;
  const LockGuard lock(mutex_);
  const auto found = anew_.find(task);
  return found != anew_.end() ? found->second : request;
}

bool DataGate::acquire(WorkerId worker, graph::Task& task) {
  memory::MemoryEvent& event = asks_[worker.index()];
  event.kind = Kind::acquire;
  event.task = task.task_id();
  event.node = node_of(worker);
  event.uses.clear();
  if (event.node != memory::kHost) {
    if (!memories_.allocates(event.node)) {
      refuse({worker, &task}, kOnHostMemory, {ErrorCode::out_of_memory, "memory for its data could not be had"});
      return false;
    }
    if (const graph::DataRecord* bound = graph::find_bound_to_host(task)) {
      refuse({worker, &task}, kOnHostMemory,
             {ErrorCode::invalid_argument,
              fmt::format("{} {}, which lie apart in the memory of a GPU, so that a kernel can "
                          "use it as a whole on a core only: give the codelet an implementation for "
                          "cores, or {}",
                          graph::describe(*bound),
                          bound->is_halo ? "overlaps data that the task writes or that lie between parts" : "has parts",
                          bound->is_halo ? "give the task the parts themselves" : "release the parts first")});
      return false;
    }
  }
  graph::append_working_set(task, event.uses);
  setup_.submitted.mark_last_writes(event.uses);
  event.request = request_of(event.task);
  // The data of tasks on devices are recorded in `views`, because these data may have to be copied back to host memory
  // later. The data of tasks on the host were recorded by the tasks that moved the data to a device.
  if (event.node != memory::kHost) know(task);
  const auto granted = [&](const memory::MemoryCore& core) { grant(worker, event.task, event.uses, core); };
  if (has_threads_ && memory_->acquire_at_once(event, granted)) return true;
  if (event.node == memory::kHost) know(task);
  {
    const LockGuard lock(mutex_);
    requests_[event.request] = {worker, &task, task.task_id()};
  }
  post_and_handle(event);
  return false;
}

void DataGate::withdraw(WorkerId worker, graph::Task& task) {
  const memory::RequestId request = request_of(task.task_id());
  {
    const LockGuard lock(mutex_);
    requests_.erase(request);
    // The task's next request gets another number, because an answer to this request may be on its way.
    anew_[task.task_id()] = memory::RequestId(kAnew | ++requests_anew_);
    any_anew_.store(true, std::memory_order_relaxed);
  }
  granted_[worker.index()].end(task.task_id());
  post_release(request);
  setup_.crew.tell({.kind = TaskEvent::Kind::left, .worker = worker, .task = task.task_id()});
}

void DataGate::happened(const TaskEvent& event) {
  if (!event.ends_task()) return;
  const memory::RequestId request = request_of(event.task);
  forget_request(event.task);
  // A dropped task has not acquired any data, so nothing has to be released.
  if (event.kind == TaskEvent::Kind::dropped) return;
  if (looks_for_replicas(event.worker)) granted_[event.worker.index()].end(event.task);
  post_release(request);
}

void DataGate::forget_request(TaskId task) {
  if (!any_anew_.load(std::memory_order_relaxed)) return;
  const LockGuard lock(mutex_);
  anew_.erase(task);
}

void DataGate::copy(const memory::Command& transfer) {
  memories_.copy(transfer, [this, id = transfer.transfer](const Result<void>& outcome) {
    if (closed_.load(std::memory_order_acquire)) return;
    post_and_handle({.kind = outcome ? Kind::transfer_done : Kind::transfer_failed, .transfer = id});
  });
}

void DataGate::hurry(memory::TransferId transfer) { memories_.hurry(transfer); }

DataGate::Request DataGate::take_request(memory::RequestId request) {
  auto found = requests_.extract(request);
  return found.empty() ? Request{} : found.mapped();
}

void DataGate::acquired(memory::RequestId request) {
  if (request.value() >= kFirstHomeRequest) return answer_home(request, {});
  Request asked;
  {
    const LockGuard lock(mutex_);
    asked = take_request(request);
    if (asked.task == nullptr) return;  // the request was withdrawn
    std::vector<memory::Use> uses;
    graph::append_working_set(*asked.task, uses);
    grant(asked.worker, asked.id, uses, memory_->core());
    workers::WorkerPort& port = setup_.crew.ports[asked.worker.index()];
    const LockGuard port_lock(port.arrived_lock);
    port.arrived.push_back(asked.task);
  }
  setup_.peers.send(asked.worker, DataArrived{});
}

void DataGate::refused(const memory::Command& command) {
  using Why = memory::Command::Kind;
  const std::string node = memories_.name(command.node);
  Failure failure{ErrorCode::transfer_failed, {}};
  KindSet elsewhere = 0;
  switch (command.kind) {
    case Why::cannot_fit:
      failure = {ErrorCode::out_of_memory,
                 command.handle.valid()
                     ? fmt::format("the data with handle {} have {} bytes, and a piece of data in the memory of {} may "
                                   "have {}: divide them into parts",
                                   command.handle.value(), command.needed.count, node, command.capacity.count)
                     : fmt::format("its data need {} bytes in the memory of {}, which has {}", command.needed.count,
                                   node, command.capacity.count)};
      elsewhere = kOnHostMemory;
      break;
    case Why::content_lost:
      failure = {ErrorCode::device_lost, fmt::format("the newest content of the data with handle {} was in the memory "
                                                     "of a device that has stopped working",
                                                     command.handle.value())};
      break;
    case Why::node_lost:
      failure = {ErrorCode::device_lost, fmt::format("{} has stopped working", node)};
      elsewhere = setup_.crew.alive();
      break;
    default:
      failure.message = fmt::format("the data with handle {} could not be copied to {}", command.handle.value(), node);
  }
  if (command.request.value() >= kFirstHomeRequest) return answer_home(command.request, failure);
  const LockGuard lock(mutex_);
  const Request asked = take_request(command.request);
  if (asked.task != nullptr) refuse(asked, elsewhere, failure);
}

void DataGate::refuse(const Request& asked, KindSet elsewhere, const Failure& failure) {
  elsewhere &= setup_.crew.able(*asked.task) & setup_.crew.alive(*asked.task);
  // The code `invalid_argument` means that the task uses as a whole data that are split into parts. No device with
  // memory of its own can run such a task.
  if (failure.code == ErrorCode::invalid_argument) elsewhere &= kOnHostMemory;
  graph::FailureLog::Cause cause;
  if (elsewhere == 0) {
    cause = std::make_shared<Failure>(
        Failure{failure.code, fmt::format("{} failed on worker {}: {}", graph::describe(*asked.task),
                                          asked.worker.value(), failure.message)});
  }
  workers::WorkerPort& port = setup_.crew.ports[asked.worker.index()];
  {
    const LockGuard lock(port.arrived_lock);
    port.refused.push_back({asked.task, elsewhere, std::move(cause)});
  }
  setup_.peers.send(asked.worker, DataArrived{});
}

void DataGate::replica_changed(HandleId handle, NodeId node, memory::ReplicaState state) {
  setup_.crew.tell({.kind = TaskEvent::Kind::replica_changed, .state = state, .node = node, .handle = handle});
}

void DataGate::prefetch(NodeId node, const graph::Task& task, std::span<const memory::Use> uses) {
  know(task);
  post({.kind = Kind::prefetch, .node = node, .task = task.task_id(), .uses = {uses.begin(), uses.end()}});
}

void DataGate::forget(const graph::DataRecord& data) {
  const graph::DataRecord* whole = &data;
  while (whole->parent != nullptr) whole = whole->parent;
  setup_.views.forget(data.handle_id(), whole->owned);
  post({.kind = Kind::forget, .handle = data.handle_id()});
}

void DataGate::discard(const graph::DataRecord& data) { leave({.kind = Kind::discard, .handle = data.handle_id()}); }

void DataGate::node_lost(NodeId node) { post({.kind = Kind::node_lost, .node = node}); }

DataView DataGate::replica(const graph::DataRecord& data, WorkerId worker) const {
  const NodeId node = node_of(worker);
  if (node == memory::kHost) return data.view;
  return memories_.replica(data.view, node, granted_[worker.index()].offset(data.handle_id()));
}

std::unordered_map<TaskId, std::string> DataGate::fetching() {
  std::unordered_map<TaskId, std::string> all;
  const auto waiting = memory_->with_core([](const memory::MemoryCore& core) { return core.waiting(); });
  const LockGuard lock(mutex_);
  for (const memory::WaitingRequest& request : waiting) {
    const auto found = requests_.find(request.request);
    if (found == requests_.end()) continue;
    const std::string node = memories_.name(request.node);
    std::string what;
    switch (request.reason) {
      case memory::WaitingRequest::Reason::turn: what = "its turn to get memory of " + node; break;
      case memory::WaitingRequest::Reason::handle_in_use:
        what = fmt::format("handle {}, which is in use on another device", request.handle.value());
        break;
      case memory::WaitingRequest::Reason::memory:
        what = fmt::format("{} bytes of memory of {}", request.needed.count, node);
        break;
      case memory::WaitingRequest::Reason::transfer:
        what = fmt::format("the copy of handle {} to {}", request.handle.value(), node);
        break;
    }
    // Only the task's id is used here, because the task itself may be gone if its worker has died.
    all.emplace(found->second.id, std::move(what));
  }
  return all;
}

TransferReport DataGate::transfers() const {
  TransferReport report = memories_.transfers();
  report.manager.passes = memory_->passes();
  memory_->with_core([&](const memory::MemoryCore& core) {
    const memory::MemoryStatistics& statistics = core.statistics();
    for (std::uint32_t node = 1; node < statistics.nodes(); ++node) {
      report.memories.push_back(
          {NodeId(node), core.capacity(NodeId(node)), statistics.highest_use[node], core.used(NodeId(node))});
    }
    report.manager.evictions = statistics.evictions;
    report.manager.write_backs = statistics.write_backs;
    report.manager.prefetches = statistics.prefetches;
    report.manager.prefetches_used = statistics.prefetches_used;
    report.manager.hits = statistics.hits;
    report.manager.misses = statistics.misses;
  });
  return report;
}

void DataGate::hint(std::span<const HandleId> handles, memory::MemoryEvent event) {
  for (const HandleId handle : handles) {
    event.handle = handle;
    post(event);
  }
}

}  // namespace troupe::actors
