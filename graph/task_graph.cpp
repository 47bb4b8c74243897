/// Data, waiting, progress. Submission and completion have files of their own.
#include "graph/task_graph.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "graph/execution_scope.hpp"

namespace troupe::graph {

namespace {

/// Folds the partial results of a reduction into the data; argument 0 is its record.
/// A core's work. Where no core runs tasks (on a described machine whose cores all drive GPUs) any device does it.
Codelet make_combine_codelet(const GraphOptions& options) {
  const Kernel combine = [](const KernelContext& context) {
    context.argument<DataRecord*>(0)->reduction->combine(context.data(0));
  };
  Codelet codelet = Codelet::internal("combine", {AccessMode::read_write});
  const bool cores = options.device_kinds[static_cast<std::size_t>(DeviceKind::cpu_core)];
  for (int kind = 0; kind < kDeviceKinds; ++kind) {
    const auto device = static_cast<DeviceKind>(kind);
    if (device == DeviceKind::cpu_core || !cores) codelet.implement(device, combine);
  }
  return codelet;
}

}  // namespace

TaskGraph::TaskGraph(const GraphOptions& options, GraphHost& host)
    : options_(options),
      notify_stride_(std::clamp<std::uint64_t>(std::bit_floor(options.window / 8), 1, 64)),
      host_(host),
      worker_caches_(options.workers + 1),
      completed_(options.workers),
      registry_(this),
      combine_codelet_(make_combine_codelet(options)),
      replay_codelet_("recorded graph", {}),
      callbacks_(options.workers + 1) {
  edge_pool_.prepare(submission_caches_.edges);
  for (WorkerCaches& caches : worker_caches_) {
    task_pool_.prepare(caches.tasks);
    edge_pool_.prepare(caches.edges);
  }
}

TaskGraph::~TaskGraph() = default;

Handle TaskGraph::register_data(DataDescription description) {
  const std::lock_guard lock(submission_mutex_);
  DataRecord& record = registry_.add(std::move(description));
  return {&record, record.handle_id()};
}

Result<std::vector<Handle>> TaskGraph::partition(const Handle& parent, std::span<const Block> blocks) {
  std::vector<Handle> handles;
  auto outcome = change_undisturbed(parent, false, [&](DataRecord& record, TaskList& ready) -> Result<void> {
    // A recording has dependency states of its own, which know nothing of parts that appear later.
    const auto uses_it = [&record](const Recording* recording) { return recording->orders(record); };
    if (std::any_of(open_recordings_.begin(), open_recordings_.end(), uses_it)) {
      return Failure{ErrorCode::invalid_argument,
                     describe(record) +
                         " was partitioned while a graph with tasks on it is recorded: do it before or "
                         "after"};
    }
    auto parts = registry_.add_parts(record, blocks);
    if (!parts) return parts.failure();
    // Tasks that were submitted meanwhile use the parts too, as parts of the whole.
    if (record.dependencies.open_reduction) close_reduction(record, ready);
    const bool poisoned = record.poisoned.load(std::memory_order_relaxed);
    for (DataRecord* part : parts.value()) {
      part->dependencies = record.dependencies;
      if (poisoned) failures_.poison(part->handle_id(), failures_.poison_of(record.handle_id()));
      handles.emplace_back(part, part->handle_id());
    }
    return {};
  });
  if (!outcome) return outcome.failure();
  return handles;
}

Result<void> TaskGraph::set_reduction(const Handle& handle, ReductionMethods methods) {
  if (!methods.initialize || !methods.combine) {
    return Failure{ErrorCode::invalid_argument, "a reduction needs both an initializer and a combiner"};
  }
  return change_undisturbed(handle, false, [&](DataRecord& record, TaskList&) -> Result<void> {
    record.reduction = std::make_unique<Reduction>(std::move(methods), options_.workers);
    return {};
  });
}

Result<void> TaskGraph::change_undisturbed(const Handle& handle, bool releasing, const Change& change) {
  const auto announce = [&handle](bool value) {
    handle.record()->visit_tree([value](DataRecord& part) { part.releasing = value; });
  };
  // A registration may end inside of a recording: runs of it then say that it has been released.
  if (auto allowed = releasing ? check_outside_kernel() : check_wait(); !allowed) return allowed;
  TaskWaiter waiter;
  TaskList ready;
  Task* hold = nullptr;
  bool immediately = false;
  {
    const std::lock_guard lock(submission_mutex_);
    const auto record = registry_.find(handle);
    if (!record) return record.failure();
    DataRecord* root = record.value();
    while (root->parent != nullptr) root = root->parent;
    hold = &submit_hold(*root, AccessMode::read_write, waiter, ready, immediately);
    if (releasing) announce(true);
  }
  if (auto held = wait_for_hold(hold, waiter, ready, immediately, releasing ? WaitKind::release : WaitKind::change);
      !held) {
    const std::lock_guard lock(submission_mutex_);
    if (releasing) announce(false);
    return held;
  }
  if (auto home = bring_home(*hold); !home) {
    if (releasing) {
      const std::lock_guard lock(submission_mutex_);
      announce(false);
    }
    give_back(hold);
    return home;
  }
  Result<void> outcome;
  TaskList closed;
  {
    const std::lock_guard lock(submission_mutex_);
    // Another thread may have released it meanwhile, unless this one is releasing it.
    const auto record = releasing ? Result<DataRecord*>(handle.record()) : registry_.find(handle);
    outcome = record ? change(*record.value(), closed) : Result<void>(record.failure());
  }
  if (!closed.empty()) host_.activate(closed, WorkerId{});
  give_back(hold);
  return outcome;
}

void TaskGraph::return_to_parent(DataRecord& part) {
  if (part.parent == nullptr) return;
  DataRecord& parent = *part.parent;
  FailureLog::Cause cause;
  part.visit_data([&](DataRecord& record) {
    if (record.poisoned.load(std::memory_order_relaxed)) cause = failures_.poison_of(record.handle_id());
  });
  // A covered parent has had no data of its own, so what its record says is out of date.
  const bool was_poisoned = !parent.covered && parent.poisoned.load(std::memory_order_relaxed);
  if (was_poisoned) return;
  parent.poisoned.store(cause != nullptr, std::memory_order_relaxed);
  if (cause != nullptr) {
    failures_.poison(parent.handle_id(), cause);
  } else {
    failures_.cure(parent.handle_id());
  }
}

Result<void> TaskGraph::release(const Handle& handle) {
  return change_undisturbed(handle, true, [this](DataRecord& record, TaskList&) -> Result<void> {
    return_to_parent(record);
    record.visit_tree([this](DataRecord& part) {
      failures_.cure(part.handle_id());
      host_.forget(part);
    });
    registry_.remove(record);
    return {};
  });
}

Result<void> TaskGraph::check_wait() const {
  if (recording_here() != nullptr) {
    return Failure{ErrorCode::invalid_argument,
                   "a wait inside of a recording: nothing runs before the recorded graph does, so there is nothing to "
                   "wait for"};
  }
  return check_outside_kernel();
}

Result<void> TaskGraph::check_outside_kernel() const {
  if (ExecutionScope::find(this) == nullptr) return {};
  return Failure{ErrorCode::wait_in_kernel,
                 "a kernel or callback waited for its own runtime, which would never end: submit a task that depends "
                 "on what you wait for instead"};
}

Result<void> TaskGraph::block(TaskWaiter& waiter) {
  while (!waiter.done()) {
    switch (host_.pump()) {
      case GraphHost::Pump::block: waiter.wait(); return {};
      case GraphHost::Pump::progressed: break;
      case GraphHost::Pump::exhausted:
        return Failure{ErrorCode::invalid_argument,
                       "this wait would never end: what it waits for needs data that this program holds"};
    }
  }
  return {};
}

Result<void> TaskGraph::wait(const Future& future) {
  if (auto allowed = check_wait(); !allowed) return allowed;
  if (future.task() == nullptr) {
    return Failure{ErrorCode::invalid_argument,
                   "a task of a recording was waited for: wait for what RecordedGraph::run returns"};
  }
  TaskWaiter waiter;
  // Not on the stack, as `inspect` may walk the list that it was in a moment after this wait has ended.
  EdgeBlock* block_of_edge = nullptr;
  bool pending = false;
  {
    const std::lock_guard lock(submission_mutex_);
    Task& task = *future.task();
    if (task.id.load(std::memory_order_relaxed) == future.id().value() && !task.ended()) {
      block_of_edge = edge_pool_.allocate(submission_caches_.edges);
      Edge& edge = block_of_edge->edges[0];
      edge.set(&waiter, Edge::waiter);
      Edge* head = task.successors.load(std::memory_order_acquire);
      do {
        pending = head != Task::closed();
        edge.link(head);
        // Release: publishes the edge to the completing worker.
      } while (pending && !task.successors.compare_exchange_weak(head, &edge, std::memory_order_release,
                                                                 std::memory_order_acquire));
    }
  }
  Result<void> waited;
  if (pending) {
    const WaitingThreads::Note note(waiting_threads_, WaitKind::task, future.id());
    waited = block(waiter);
    if (!waited) unlink(*future.task(), block_of_edge->edges[0]);
  }
  if (block_of_edge != nullptr) {
    const std::lock_guard lock(submission_mutex_);
    edge_pool_.free(submission_caches_.edges, block_of_edge);
  }
  if (!waited) return waited;
  if (status(future) == TaskStatus::succeeded) return {};
  return failures_.failure_of(future.id());
}

void TaskGraph::unlink(Task& task, const Edge& edge) {
  Edge* before = task.successors.load(std::memory_order_relaxed);
  if (before == &edge) {
    task.successors.store(edge.next_edge(), std::memory_order_relaxed);
    return;
  }
  while (before->next_edge() != &edge) before = before->next_edge();
  before->link(edge.next_edge());
}

Result<void> TaskGraph::wait_all() {
  if (auto allowed = check_wait(); !allowed) return allowed;
  waiting_for_all_.fetch_add(1, std::memory_order_seq_cst);
  Result<void> outcome;
  // Tasks may submit tasks that begin further reductions.
  while (outcome && combine_open_reductions()) outcome = wait_until_ended();
  waiting_for_all_.fetch_sub(1, std::memory_order_seq_cst);
  if (!outcome) return outcome;
  if (auto summary = failures_.take_summary()) return std::move(*summary);
  return {};
}

bool TaskGraph::combine_open_reductions() {
  TaskList ready;
  {
    const std::lock_guard lock(submission_mutex_);
    if (open_reductions_.empty() && in_flight() == 0) return false;
    close_reductions(ready);
  }
  if (!ready.empty()) host_.activate(ready, WorkerId{});
  return true;
}

Result<void> TaskGraph::wait_until_ended() {
  while (in_flight() != 0) {
    const GraphHost::Pump pumped = host_.pump();
    if (pumped == GraphHost::Pump::exhausted) {
      return Failure{ErrorCode::invalid_argument, "this wait would never end: tasks need data that this program holds"};
    }
    if (pumped == GraphHost::Pump::block) {
      const WaitingThreads::Note note(waiting_threads_, WaitKind::everything);
      std::unique_lock lock(wait_mutex_);
      wait_condition_.wait(lock, [&] { return in_flight() == 0; });
    }
  }
  return {};
}

Result<void> TaskGraph::wait_for_room() {
  if (has_room() || ExecutionScope::find(this) != nullptr) return {};
  waiting_for_room_.fetch_add(1, std::memory_order_seq_cst);
  Result<void> outcome;
  while (!has_room() && !stopped_.load(std::memory_order_relaxed)) {
    const GraphHost::Pump pumped = host_.pump();
    if (pumped == GraphHost::Pump::exhausted) {
      outcome = Failure{ErrorCode::invalid_argument,
                        "the submission window is full of tasks that need data that this program holds"};
      break;
    }
    if (pumped == GraphHost::Pump::block) {
      const WaitingThreads::Note note(waiting_threads_, WaitKind::room);
      std::unique_lock lock(wait_mutex_);
      wait_condition_.wait(lock,
                           [&] { return in_flight() <= low_water() || stopped_.load(std::memory_order_relaxed); });
    }
  }
  waiting_for_room_.fetch_sub(1, std::memory_order_seq_cst);
  return outcome;
}

Result<Task*> TaskGraph::acquire(const Handle& handle, AccessMode mode) {
  if (mode == AccessMode::commute || mode == AccessMode::reduce) {
    return Failure{ErrorCode::invalid_argument, std::string("the program cannot acquire data in mode ") +
                                                    to_string(mode) + ": use read, write or read_write"};
  }
  auto hold = acquire_record(handle, mode);
  if (hold && reads(mode) && any_failure_.load(std::memory_order_acquire)) {
    if (const auto refusal = why_invalid(*hold.value()); refusal.cause) {
      give_back(hold.value());
      return *refusal.cause;
    }
  }
  if (hold) {
    if (auto home = bring_home(*hold.value()); !home) {
      give_back(hold.value());
      return home.failure();
    }
  }
  return hold;
}

Result<void> TaskGraph::bring_home(const Task& hold) {
  return host_.bring_home(*hold.data()[0].data(), hold.data()[0].mode());
}

Task& TaskGraph::submit_hold(DataRecord& record, AccessMode mode, TaskWaiter& waiter, TaskList& ready,
                             bool& immediately) {
  Task& hold = allocate_task(nullptr, 1);
  hold.role = TaskRole::host;
  hold.extras = std::make_unique<TaskExtras>();
  hold.has_more = true;
  hold.extras->ready_waiter = &waiter;
  set_access(hold, 0, record, mode);
  DependencyBuilder builder(hold, edge_pool_, submission_caches_.edges);
  order(hold, builder, ready);
  immediately = builder.finish();
  return hold;
}

Result<void> TaskGraph::wait_for_hold(Task* hold, TaskWaiter& waiter, TaskList& ready, bool immediately,
                                      WaitKind kind) {
  if (!ready.empty()) host_.activate(ready, WorkerId{});
  Result<void> waited;
  if (!immediately) {
    const WaitingThreads::Note note(waiting_threads_, kind, hold->task_id());
    waited = block(waiter);
  }
  hold->extras->held_since.store(WaitingThreads::now().count(), std::memory_order_relaxed);
  if (!waited) hold->extras->ready_waiter = nullptr;  // a worker will end it
  return waited;
}

Result<Task*> TaskGraph::acquire_record(const Handle& handle, AccessMode mode) {
  if (auto allowed = check_wait(); !allowed) return allowed.failure();
  TaskWaiter waiter;
  TaskList ready;
  Task* hold = nullptr;
  bool immediately = false;
  {
    const std::lock_guard lock(submission_mutex_);
    const auto record = registry_.find(handle);
    if (!record) return record.failure();
    hold = &submit_hold(*record.value(), mode, waiter, ready, immediately);
  }
  if (auto held = wait_for_hold(hold, waiter, ready, immediately, WaitKind::data); !held) return held.failure();
  return hold;
}

void TaskGraph::give_back(Task* hold) {
  TaskList ready;
  {
    const std::lock_guard lock(outside_mutex_);
    finish(*hold, {TaskStatus::succeeded, nullptr, nullptr, completed_.outside(), WorkerId{}}, ready);
  }
  if (!ready.empty()) host_.activate(ready, WorkerId{});
}

DataView TaskGraph::view_of(const Handle& handle) { return handle.record()->view; }

TaskStatus TaskGraph::status(const Future& future) const {
  if (future.task() == nullptr) return TaskStatus::pending;  // of a recording
  const std::uint64_t id = future.id().value();
  // Acquire: a status of the memory's next task brings that task's id with it.
  const TaskStatus status = future.task()->status.load(std::memory_order_acquire);
  if (future.task()->id.load(std::memory_order_acquire) == id) return status;
  return failures_.status_of(future.id());
}

void TaskGraph::cancel(const Future& future) {
  if (future.task() == nullptr) return;  // of a recording
  const std::lock_guard lock(submission_mutex_);
  if (future.task()->id.load(std::memory_order_relaxed) != future.id().value()) return;
  future.task()->cancel_requested.store(true, std::memory_order_relaxed);
}

void TaskGraph::cancel_all() {
  const std::lock_guard lock(submission_mutex_);
  // Release: pairs with the acquire in `begin`, though nothing but the number itself is read there.
  cancel_below_.store(next_id_.load(std::memory_order_relaxed), std::memory_order_release);
}

Result<void> TaskGraph::stop_submissions() {
  if (auto allowed = check_wait(); !allowed) return allowed;
  {
    // A submission that has the lock already comes before; none comes after.
    const std::lock_guard lock(submission_mutex_);
    stopped_.store(true, std::memory_order_seq_cst);
  }
  const std::lock_guard lock(wait_mutex_);
  wait_condition_.notify_all();
  return {};
}

GraphProgress TaskGraph::progress() const {
  // Ended first: the other order could see more ended than submitted.
  const std::uint64_t ended = completed_.total();
  return {submitted_.load(std::memory_order_seq_cst), ended};
}

std::uint64_t TaskGraph::in_flight() const {
  const GraphProgress now = progress();
  return now.submitted - now.ended;
}

bool TaskGraph::has_room() {
  const std::uint64_t submitted = submitted_.load(std::memory_order_relaxed);
  if (submitted - ended_at_least_.load(std::memory_order_relaxed) < options_.window) return true;
  const std::uint64_t ended = completed_.total();
  ended_at_least_.store(ended, std::memory_order_relaxed);
  return submitted - ended < options_.window;
}

}  // namespace troupe::graph

namespace troupe {

TaskStatus Future::status() const {
  if (graph_ == nullptr) throw Error(ErrorCode::invalid_argument, "an empty future has no status");
  return graph_->status(*this);
}

void Future::wait() const {
  if (graph_ == nullptr) throw Error(ErrorCode::invalid_argument, "an empty future cannot be waited for");
  graph_->wait(*this).value_or_throw();
}

void Future::cancel() const {
  if (graph_ == nullptr) throw Error(ErrorCode::invalid_argument, "an empty future cannot be cancelled");
  graph_->cancel(*this);
}

}  // namespace troupe
