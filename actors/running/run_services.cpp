#include "actors/running/run_services.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "graph/data/data_registry.hpp"
#include "graph/data/working_set.hpp"
#include "troupe/codelet.hpp"

namespace troupe::actors {

namespace {

/// The first number of requests that a task makes anew; neither a task's nor the program's requests have such numbers.
constexpr std::uint64_t kAnew = std::uint64_t{1} << 62U;

}  // namespace

using scheduler::SchedulerEvent;

RunServices::RunServices(Setup setup)
    : setup_(std::move(setup)),
      asks_(setup_.nodes.size()),
      granted_(setup_.nodes.size()),
      reuse_(setup_.options->reuse_profile, setup_.options->on_warning) {
  if (setup_.memories != nullptr) {
    memory::MemoryOptions options = setup_.memories->memory_options();
    options.access_observer = setup_.options->access_observer;
    options.reuse_profile = reuse_.recorded();
    auto policy = memory::make_eviction_policy(setup_.options->eviction, setup_.upcoming).value_or_throw();
    for (std::size_t i = 0; reuse_.learned() != nullptr && i < reuse_.learned()->uses().size(); ++i) {
      const auto uses = static_cast<std::int64_t>(reuse_.learned()->uses()[i]);
      policy->set_reuse(HandleId(i), uses);
      if (setup_.submitted) setup_.submitted->set_reuse(HandleId(i), uses);
    }
    memory_ = std::make_shared<memory::MemoryState>(std::move(options), *this, std::move(policy));
  }
}

void RunServices::post(memory::MemoryEvent event) {
  if (memory_->inbox().post(std::move(event))) setup_.peers->tell_memory();
}

void RunServices::post_and_handle(memory::MemoryEvent event) {
  // If another thread has been told already, it handles this event, too.
  if (!memory_->inbox().post(std::move(event))) return;
  if (setup_.cooperative || !memory_->try_to_handle_inbox()) setup_.peers->tell_memory();
}

void RunServices::post_release(memory::RequestId request) {
  memory::MemoryEvent event;
  event.kind = memory::MemoryEvent::Kind::release;
  event.request = request;
  if (setup_.cooperative) return post_and_handle(std::move(event));
  if (!memory_->inbox().leave(std::move(event))) return;
  if (!memory_->try_to_handle_inbox()) setup_.peers->tell_memory();
}

bool RunServices::looks_for_replicas(WorkerId worker) const {
  return setup_.nodes[worker.index()] != memory::kHost && setup_.memories->holds_data();
}

void RunServices::grant(WorkerId worker, TaskId task, std::span<const memory::Use> uses,
                        const memory::MemoryCore& core) {
  if (!looks_for_replicas(worker)) return;
  const NodeId node = setup_.nodes[worker.index()];
  granted_[worker.index()].grant(task, uses, [&](HandleId handle) { return core.offset(handle, node); });
}

void RunServices::know(const graph::Task& task) {
  if (setup_.memories->holds_data()) setup_.views->know(task);
}

memory::RequestId RunServices::request_of(const graph::Task& task) const {
  const memory::RequestId request(task.task_id().value());
  if (!any_anew_.load(std::memory_order_relaxed)) return request;
  const LockGuard lock(mutex_);
  const auto found = anew_.find(task.task_id());
  return found != anew_.end() ? found->second : request;
}

bool RunServices::acquire(WorkerId worker, graph::Task& task) {
  memory::MemoryEvent& event = asks_[worker.index()];
  event.kind = memory::MemoryEvent::Kind::acquire;
  event.task = task.task_id();
  event.node = setup_.nodes[worker.index()];
  event.uses.clear();
  if (event.node != memory::kHost) {
    if (!setup_.memories->allocates(event.node)) {
      refuse({worker, &task}, kOnHostMemory, {ErrorCode::out_of_memory, "memory for its data could not be had"});
      return false;
    }
    if (const graph::DataRecord* whole = graph::find_whole_of_parts(task)) {
      refuse({worker, &task}, kOnHostMemory,
             {ErrorCode::invalid_argument,
              fmt::format("{} has parts, which lie apart in the memory of a GPU, so that a kernel can "
                          "use it as a whole on a core only: give the codelet an implementation for "
                          "cores, or release the parts first",
                          graph::describe(*whole))});
      return false;
    }
  }
  graph::append_working_set(task, event.uses);
  if (setup_.submitted) setup_.submitted->mark_last_writes(event.uses);
  event.request = request_of(task);
  // Data that are written elsewhere may have to come home later. Data that are at home were made known by the task that
  // takes them away.
  if (event.node != memory::kHost) know(task);
  const auto granted = [&](const memory::MemoryCore& core) { grant(worker, event.task, event.uses, core); };
  if (!setup_.cooperative && memory_->acquire_at_once(event, granted)) return true;
  if (event.node == memory::kHost) know(task);
  {
    const LockGuard lock(mutex_);
    requests_[event.request] = {worker, &task, task.task_id()};
  }
  post_and_handle(event);
  return false;
}

void RunServices::withdraw(WorkerId worker, graph::Task& task) {
  const memory::RequestId request = request_of(task);
  {
    const LockGuard lock(mutex_);
    requests_.erase(request);
    // The task's next request gets another number: an answer to this one may be on its way.
    anew_[task.task_id()] = memory::RequestId(kAnew | ++requests_anew_);
    any_anew_.store(true, std::memory_order_relaxed);
  }
  granted_[worker.index()].end(task.task_id());
  post_release(request);
  left(worker, task.task_id(), false);
}

void RunServices::left(WorkerId worker, TaskId task, bool ended) {
  if (ended && setup_.submitted) setup_.submitted->ended(task);
  if (ended && setup_.upcoming) setup_.upcoming->dropped(task);
  if (ended && memory_) forget_request(task);
  tell_of_end({.kind = SchedulerEvent::Kind::left, .worker = worker, .task = task});
  if (ended && setup_.task_ended) setup_.task_ended();
}

void RunServices::forget_request(TaskId task) {
  if (!any_anew_.load(std::memory_order_relaxed)) return;
  const LockGuard lock(mutex_);
  anew_.erase(task);
}

std::optional<bool> RunServices::may_issue(WorkerId worker, const graph::Task& task) {
  // An accelerator could not use the whole.
  if (graph::find_whole_of_parts(task) != nullptr) return false;
  return setup_.may_issue ? setup_.may_issue(worker, task) : true;
}

void RunServices::started(WorkerId worker, const graph::Task& task, TimeStamp at) {
  tell({.kind = SchedulerEvent::Kind::started, .worker = worker, .task = task.task_id(), .at = at});
}

void RunServices::joined(WorkerId worker) { tell({.kind = SchedulerEvent::Kind::joined, .worker = worker}); }

void RunServices::all_taken(TaskId task) {
  const SchedulerEvent event{.kind = SchedulerEvent::Kind::all_taken, .task = task};
  setup_.cooperative ? tell_of_end(event) : tell(event);
}

void RunServices::stopped(WorkerId worker, TaskId task, TimeStamp at) {
  const SchedulerEvent event{.kind = SchedulerEvent::Kind::stopped, .worker = worker, .task = task, .at = at};
  setup_.cooperative ? tell_of_end(event) : tell(event);
}

void RunServices::ended(WorkerId worker, graph::Task& task, TimeStamp at, Duration took, bool failed) {
  if (memory_) {
    const memory::RequestId request = request_of(task);
    forget_request(task.task_id());
    if (looks_for_replicas(worker)) granted_[worker.index()].end(task.task_id());
    post_release(request);
  }
  if (setup_.submitted) setup_.submitted->ended(task.task_id());
  const SchedulerEvent::Kind kind = failed ? SchedulerEvent::Kind::left : SchedulerEvent::Kind::ended;
  const SchedulerEvent event{.kind = kind, .worker = worker, .task = task.task_id(), .at = at, .took = took};
  // Otherwise the worker has the scheduler decide when the task is completed (`WorkerCore::Options::ends_count`).
  setup_.cooperative ? tell_of_end(event) : tell(event);
  if (setup_.task_ended) setup_.task_ended();
}

void RunServices::tell(const SchedulerEvent& event) {
  if (setup_.activation != nullptr) news_.post(event);
}

void RunServices::tell_of_end(const SchedulerEvent& event) {
  tell(event);
  if (setup_.ends_count != nullptr && setup_.ends_count->load(std::memory_order_seq_cst))
    setup_.peers->tell_scheduler();
}

void RunServices::copy(const memory::Command& transfer) {
  setup_.memories->copy(transfer, [this, id = transfer.transfer](const Result<void>& outcome) {
    if (closed_.load(std::memory_order_acquire)) return;
    memory::MemoryEvent event;
    event.kind = outcome ? memory::MemoryEvent::Kind::transfer_done : memory::MemoryEvent::Kind::transfer_failed;
    event.transfer = id;
    post_and_handle(std::move(event));
  });
}

void RunServices::hurry(memory::TransferId transfer) { setup_.memories->hurry(transfer); }

RunServices::Request RunServices::take_request(memory::RequestId request) {
  auto found = requests_.extract(request);
  return found.empty() ? Request{} : found.mapped();
}

void RunServices::acquired(memory::RequestId request) {
  if (request.value() >= kFirstHomeRequest) {
    const LockGuard lock(mutex_);
    home_.emplace(request, Result<void>());
    home_answered_.notify_all();
    return;
  }
  Request asked;
  {
    const LockGuard lock(mutex_);
    asked = take_request(request);
    if (asked.task == nullptr) return;  // withdrawn
    std::vector<memory::Use> uses;
    graph::append_working_set(*asked.task, uses);
    grant(asked.worker, asked.id, uses, memory_->core());
    workers::WorkerPort& port = setup_.crew->ports[asked.worker.index()];
    const LockGuard port_lock(port.arrived_lock);
    port.arrived.push_back(asked.task);
  }
  setup_.peers->send(asked.worker, DataArrived{});
}

void RunServices::refused(const memory::Command& command) {
  using Kind = memory::Command::Kind;
  const std::string node = setup_.memories->name(command.node);
  Failure failure{ErrorCode::transfer_failed, {}};
  KindSet elsewhere = 0;
  switch (command.kind) {
    case Kind::cannot_fit:
      failure = {ErrorCode::out_of_memory,
                 command.handle.valid()
                     ? fmt::format("the data with handle {} have {} bytes, and a piece of data in the memory of {} may "
                                   "have {}: divide them into parts",
                                   command.handle.value(), command.needed.count, node, command.capacity.count)
                     : fmt::format("its data need {} bytes in the memory of {}, which has {}", command.needed.count,
                                   node, command.capacity.count)};
      elsewhere = kOnHostMemory;
      break;
    case Kind::content_lost:
      failure = {ErrorCode::device_lost, fmt::format("the newest content of the data with handle {} was in the memory "
                                                     "of a device that has stopped working",
                                                     command.handle.value())};
      break;
    case Kind::node_lost:
      failure = {ErrorCode::device_lost, fmt::format("{} has stopped working", node)};
      elsewhere = setup_.crew->alive();
      break;
    default:
      failure.message = fmt::format("the data with handle {} could not be copied to {}", command.handle.value(), node);
  }
  if (command.request.value() >= kFirstHomeRequest) {
    const LockGuard lock(mutex_);
    home_.emplace(command.request, Result<void>(failure));
    home_answered_.notify_all();
    return;
  }
  const LockGuard lock(mutex_);
  const Request asked = take_request(command.request);
  if (asked.task != nullptr) refuse(asked, elsewhere, failure);
}

void RunServices::refuse(const Request& asked, KindSet elsewhere, const Failure& failure) {
  elsewhere &= setup_.crew->able(*asked.task) & setup_.crew->alive(*asked.task);
  // A device with a memory of its own that has just refused the task would refuse it again.
  if (failure.code == ErrorCode::invalid_argument) elsewhere &= kOnHostMemory;
  graph::FailureLog::Cause cause;
  if (elsewhere == 0) {
    cause = std::make_shared<Failure>(
        Failure{failure.code, fmt::format("{} failed on worker {}: {}", graph::describe(*asked.task),
                                          asked.worker.value(), failure.message)});
  }
  workers::WorkerPort& port = setup_.crew->ports[asked.worker.index()];
  {
    const LockGuard lock(port.arrived_lock);
    port.refused.push_back({asked.task, elsewhere, std::move(cause)});
  }
  setup_.peers->send(asked.worker, DataArrived{});
}

void RunServices::send_on(graph::Task& task, KindSet kinds) {
  workers::Crew& crew = *setup_.crew;
  // A policy knows a task from its submission, when its data may not have had parts yet: it would send the task to an
  // accelerator again, and again.
  const bool policy_knows = graph::find_whole_of_parts(task) == nullptr;
  if (setup_.activation != nullptr && policy_knows && kinds == (crew.able(task) & crew.alive(task))) {
    // Its workers are the same as before, so the policy chooses.
    setup_.activation->push(&task);
    setup_.peers->tell_scheduler();
    return;
  }
  WorkerId sleeper;
  if (crew.mixed()) {
    crew.set_aside(task, kinds);
    sleeper = crew.take_idle_for_restricted();
  } else {
    crew.entry.push(&task);
    sleeper = crew.take_idle(WorkerId{});
  }
  if (sleeper.valid()) setup_.peers->wake(sleeper);
}

void RunServices::replica_changed(HandleId handle, NodeId node, memory::ReplicaState state) {
  tell({.kind = SchedulerEvent::Kind::replica_changed, .state = state, .node = node, .handle = handle});
}

void RunServices::prefetch(NodeId node, const graph::Task& task, std::span<const memory::Use> uses) {
  if (!memory_) return;
  know(task);
  memory::MemoryEvent event;
  event.kind = memory::MemoryEvent::Kind::prefetch;
  event.task = task.task_id();
  event.node = node;
  event.uses.assign(uses.begin(), uses.end());
  post(std::move(event));
}

void RunServices::forget(const graph::DataRecord& data) {
  if (setup_.submitted) setup_.submitted->set_reuse(data.handle_id(), 0);
  if (!memory_) return;
  const graph::DataRecord* whole = &data;
  while (whole->parent != nullptr) whole = whole->parent;
  setup_.views->forget(data.handle_id(), whole->owned);
  memory::MemoryEvent event;
  event.kind = memory::MemoryEvent::Kind::forget;
  event.handle = data.handle_id();
  post(std::move(event));
}

void RunServices::node_lost(NodeId node) {
  const auto found = std::ranges::find(setup_.nodes, node);
  worker_lost(WorkerId(static_cast<std::uint32_t>(found - setup_.nodes.begin())));
}

void RunServices::worker_lost(WorkerId worker) {
  if (setup_.crew->ports[worker.index()].lost.exchange(true, std::memory_order_seq_cst)) return;
  if (const NodeId node = setup_.nodes[worker.index()]; node != memory::kHost) {
    memory::MemoryEvent event;
    event.kind = memory::MemoryEvent::Kind::node_lost;
    event.node = node;
    post(std::move(event));
  }
  tell({.kind = SchedulerEvent::Kind::worker_lost, .worker = worker});
  setup_.peers->tell_scheduler();
  // The worker sends the tasks that lie with it elsewhere. It gets a message because it looks for messages even while
  // its device computes.
  setup_.peers->send(worker, WorkAvailable{});
}

void RunServices::regrouped(WorkerId worker, int cores) noexcept {
  tell({.kind = SchedulerEvent::Kind::regrouped, .worker = worker, .cores = cores});
  // Tasks that a policy keeps may be for this worker.
  if (setup_.activation != nullptr) setup_.peers->tell_scheduler();
}

DataView RunServices::replica(const graph::DataRecord& data, WorkerId worker) const {
  const NodeId node = setup_.nodes[worker.index()];
  if (node == memory::kHost) return data.view;
  return setup_.memories->replica(data.view, node, granted_[worker.index()].offset(data.handle_id()));
}

std::unordered_map<TaskId, std::string> RunServices::fetching() {
  std::unordered_map<TaskId, std::string> all;
  if (!memory_) return all;
  const auto waiting = memory_->with_core([](const memory::MemoryCore& core) { return core.waiting(); });
  const LockGuard lock(mutex_);
  for (const memory::WaitingRequest& request : waiting) {
    const auto found = requests_.find(request.request);
    if (found == requests_.end()) continue;
    const std::string node = setup_.memories->name(request.node);
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
    // The id is used, not the task: the task may be gone if its worker has died meanwhile.
    all.emplace(found->second.id, std::move(what));
  }
  return all;
}

TransferReport RunServices::transfers() const {
  if (!memory_) return {};
  TransferReport report = setup_.memories->transfers();
  report.manager_passes = memory_->passes();
  memory_->with_core([&](const memory::MemoryCore& core) {
    const memory::MemoryStatistics& statistics = core.statistics();
    for (std::uint32_t node = 1; node < statistics.nodes(); ++node) {
      report.memories.push_back(
          {NodeId(node), core.capacity(NodeId(node)), statistics.highest_use[node], core.used(NodeId(node))});
    }
    report.evictions = statistics.evictions;
    report.write_backs = statistics.write_backs;
    report.prefetches = statistics.prefetches;
    report.prefetches_used = statistics.prefetches_used;
    report.hits = statistics.hits;
    report.misses = statistics.misses;
  });
  return report;
}

void RunServices::hint(std::span<const HandleId> handles, memory::MemoryEvent event) {
  if (event.kind == memory::MemoryEvent::Kind::set_reuse && setup_.submitted) {
    for (const HandleId handle : handles) setup_.submitted->set_reuse(handle, event.reuse);
  }
  if (!memory_) return;
  for (const HandleId handle : handles) {
    event.handle = handle;
    post(event);
  }
}

}  // namespace troupe::actors
