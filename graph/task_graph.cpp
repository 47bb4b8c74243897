/// Data, waiting, progress. Submission and completion have files of their own.
#include "graph/task_graph.hpp"

#include "graph/execution_scope.hpp"

namespace troupe::graph {

namespace {

/// Folds the partial results of a reduction into the data; argument 0 is the `Reduction`.
Codelet make_combine_codelet() {
  return Codelet("combine", {AccessMode::read_write}).cpu([](const KernelContext& context) {
    context.argument<Reduction*>(0)->combine(context.data(0));
  });
}

/// No task has named the record or one below it since `hold` was submitted.
bool unused_since(DataRecord& record, const Task* hold) {
  bool unused = true;
  record.visit_tree([&](DataRecord& part) {
    const DependencyState& state = part.dependencies;
    unused = unused && state.readers.empty() && state.writers.size() == 1 && state.writers[0].task == hold &&
             state.kind == EpochKind::write;
  });
  return unused;
}

}  // namespace

TaskGraph::TaskGraph(const GraphOptions& options, GraphHost& host)
    : options_(options),
      host_(host),
      registry_(this),
      combine_codelet_(make_combine_codelet()),
      worker_caches_(options.workers + 1),
      completed_(options.workers) {}

TaskGraph::~TaskGraph() = default;

Handle TaskGraph::register_data(DataDescription description) {
  const std::lock_guard lock(submission_mutex_);
  DataRecord& record = registry_.add(std::move(description));
  return {&record, record.handle_id()};
}

Result<std::vector<Handle>> TaskGraph::partition(const Handle& parent, std::span<const Block> blocks) {
  const auto root = root_of(parent);
  if (!root) return root.failure();
  // No task may look at the tree while it grows.
  auto hold = acquire_record(*root.value(), root.value()->handle_id().value(), AccessMode::read_write);
  if (!hold) return hold.failure();
  std::vector<Handle> handles;
  Result<void> outcome;
  {
    const std::lock_guard lock(submission_mutex_);
    auto parts = registry_.add_parts(*parent.record(), blocks);
    if (parts) {
      for (DataRecord* part : parts.value()) handles.emplace_back(part, part->handle_id());
    } else {
      outcome = parts.failure();
    }
  }
  give_back(hold.value());
  if (!outcome) return outcome.failure();
  return handles;
}

Result<void> TaskGraph::set_reduction(const Handle& handle, ReductionMethods methods) {
  if (!methods.initialize || !methods.combine) {
    return Failure{ErrorCode::invalid_argument, "a reduction needs both an initializer and a combiner"};
  }
  const auto root = root_of(handle);
  if (!root) return root.failure();
  auto hold = acquire_record(*handle.record(), handle.id().value(), AccessMode::read_write);
  if (!hold) return hold.failure();
  handle.record()->reduction = std::make_unique<Reduction>(std::move(methods), options_.workers);
  give_back(hold.value());
  return {};
}

Result<DataRecord*> TaskGraph::root_of(const Handle& handle) {
  const std::lock_guard lock(submission_mutex_);
  const auto found = registry_.find(handle);
  if (!found) return found;
  DataRecord* root = found.value();
  while (root->parent != nullptr) root = root->parent;
  return root;
}

Result<void> TaskGraph::release(const Handle& handle) {
  while (true) {
    const auto root = root_of(handle);
    if (!root) return root.failure();
    auto hold = acquire_record(*root.value(), root.value()->handle_id().value(), AccessMode::read_write);
    if (!hold) return hold.failure();
    bool removed = false;
    {
      const std::lock_guard lock(submission_mutex_);
      if (const auto found = registry_.find(handle); !found) {
        // Another thread released it while this one waited.
      } else if (unused_since(*found.value(), hold.value())) {
        found.value()->visit_tree([&](DataRecord& record) { failures_.cure(record.handle_id()); });
        registry_.remove(*found.value());
        removed = true;
      }
    }
    give_back(hold.value());
    if (removed) return {};
  }
}

Result<void> TaskGraph::check_wait() const {
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
  TaskWaiter waiter;
  Edge edge;
  edge.set(&waiter, Edge::waiter);
  bool pending = false;
  TaskList ready;
  {
    const std::lock_guard lock(submission_mutex_);
    Task& task = *future.task();
    if (task.id.load(std::memory_order_relaxed) == future.id().value()) {
      Edge* head = task.successors.load(std::memory_order_acquire);
      do {
        pending = head != Task::closed();
        edge.next = head;
        // Release: publishes the edge to the completing worker.
      } while (pending && !task.successors.compare_exchange_weak(head, &edge, std::memory_order_release,
                                                                 std::memory_order_acquire));
    }
  }
  if (pending) {
    if (auto waited = block(waiter); !waited) {
      Edge* before = future.task()->successors.load(std::memory_order_relaxed);
      if (before == &edge) {
        future.task()->successors.store(edge.next, std::memory_order_relaxed);
      } else {
        while (before->next != &edge) before = before->next;
        before->next = edge.next;
      }
      return waited;
    }
  }
  if (status(future) == TaskStatus::succeeded) return {};
  return failures_.failure_of(future.id());
}

Result<void> TaskGraph::wait_all() {
  if (auto allowed = check_wait(); !allowed) return allowed;
  TaskList ready;
  {
    const std::lock_guard lock(submission_mutex_);
    close_reductions(ready);
  }
  if (!ready.empty()) host_.activate(ready, WorkerId{});
  waiting_threads_.fetch_add(1, std::memory_order_seq_cst);
  Result<void> outcome;
  while (!all_ended()) {
    const GraphHost::Pump pumped = host_.pump();
    if (pumped == GraphHost::Pump::exhausted) {
      outcome = Failure{ErrorCode::invalid_argument,
                        "this wait would never end: tasks need data that this program holds"};
      break;
    }
    if (pumped == GraphHost::Pump::block) {
      std::unique_lock lock(wait_mutex_);
      wait_condition_.wait(lock, [&] { return all_ended(); });
    }
  }
  waiting_threads_.fetch_sub(1, std::memory_order_seq_cst);
  if (!outcome) return outcome;
  if (auto summary = failures_.take_summary()) return std::move(*summary);
  return {};
}

Result<void> TaskGraph::wait_for_room() {
  if (has_room() || ExecutionScope::find(this) != nullptr) return {};
  waiting_threads_.fetch_add(1, std::memory_order_seq_cst);
  Result<void> outcome;
  while (!has_room() && !stopped_.load(std::memory_order_relaxed)) {
    const GraphHost::Pump pumped = host_.pump();
    if (pumped == GraphHost::Pump::exhausted) {
      outcome = Failure{ErrorCode::invalid_argument,
                        "the submission window is full of tasks that need data that this program holds"};
      break;
    }
    if (pumped == GraphHost::Pump::block) {
      std::unique_lock lock(wait_mutex_);
      // Some room, not one place: or each further submission would cost a sleep.
      wait_condition_.wait(lock, [&] {
        return progress().submitted - progress().ended <= options_.window - options_.window / 4 ||
               stopped_.load(std::memory_order_relaxed);
      });
    }
  }
  waiting_threads_.fetch_sub(1, std::memory_order_seq_cst);
  return outcome;
}

Result<Task*> TaskGraph::acquire(const Handle& handle, AccessMode mode) {
  DataRecord* record = nullptr;
  {
    const std::lock_guard lock(submission_mutex_);
    const auto found = registry_.find(handle);
    if (!found) return found.failure();
    record = found.value();
  }
  auto hold = acquire_record(*record, handle.id().value(), mode);
  if (hold && reads(mode) && any_failure_.load(std::memory_order_acquire)) {
    if (const auto cause = poison_of(*hold.value())) {
      give_back(hold.value());
      return *cause;
    }
  }
  return hold;
}

Result<Task*> TaskGraph::acquire_record(DataRecord& record, std::uint64_t id, AccessMode mode) {
  if (auto allowed = check_wait(); !allowed) return allowed.failure();
  TaskWaiter waiter;
  TaskList ready;
  Task* hold = nullptr;
  bool immediately = false;
  {
    const std::lock_guard lock(submission_mutex_);
    if (record.id.load(std::memory_order_relaxed) != id) {
      return Failure{ErrorCode::invalid_handle, "handle " + std::to_string(id) + " was used after its data were released"};
    }
    hold = &allocate_task(nullptr, 1);
    hold->role = TaskRole::host;
    hold->extras = std::make_unique<TaskExtras>();
    hold->extras->ready_waiter = &waiter;
    set_access(*hold, 0, record, mode);
    DependencyBuilder builder(*hold, edge_pool_, submission_caches_.edges);
    order(*hold, builder, ready);
    immediately = builder.finish();
  }
  if (!ready.empty()) host_.activate(ready, WorkerId{});
  if (!immediately) {
    if (auto waited = block(waiter); !waited) {
      hold->extras->ready_waiter = nullptr;  // a worker will end it
      return waited.failure();
    }
  }
  return hold;
}

void TaskGraph::give_back(Task* hold) {
  TaskList ready;
  {
    const std::lock_guard lock(outside_mutex_);
    finish(*hold, {TaskStatus::succeeded, nullptr, completed_.outside(), WorkerId{}}, ready);
  }
  if (!ready.empty()) host_.activate(ready, WorkerId{});
}

DataView TaskGraph::view_of(const Handle& handle) { return handle.record()->view(); }

TaskStatus TaskGraph::status(const Future& future) const {
  const std::uint64_t id = future.id().value();
  // Acquire: a status of the memory's next task brings that task's id with it.
  const TaskStatus status = future.task()->status.load(std::memory_order_acquire);
  if (future.task()->id.load(std::memory_order_acquire) == id) return status;
  return failures_.status_of(future.id());
}

void TaskGraph::cancel(const Future& future) {
  const std::lock_guard lock(submission_mutex_);
  if (future.task()->id.load(std::memory_order_relaxed) != future.id().value()) return;
  future.task()->cancel_requested.store(true, std::memory_order_relaxed);
}

void TaskGraph::cancel_all() {
  const std::lock_guard lock(submission_mutex_);
  // Release: pairs with the acquire in `begin`, though nothing but the number itself is read there.
  cancel_below_.store(next_id_.load(std::memory_order_relaxed), std::memory_order_release);
}

void TaskGraph::stop_submissions() {
  stopped_.store(true, std::memory_order_seq_cst);
  const std::lock_guard lock(wait_mutex_);
  wait_condition_.notify_all();
}

GraphProgress TaskGraph::progress() const {
  // Ended first: the other order could see more ended than submitted.
  const std::uint64_t ended = completed_.total();
  return {submitted_.load(std::memory_order_seq_cst), ended};
}

bool TaskGraph::all_ended() const {
  const GraphProgress now = progress();
  return now.submitted == now.ended;
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
