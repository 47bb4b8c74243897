/// The functions of the task graph for data: handles and their blocks, reductions, data that the program holds.
#include <algorithm>
#include <utility>

#include "graph/codelets/execution_scope.hpp"
#include "graph/data/named_parts.hpp"
#include "graph/data/usable.hpp"
#include "graph/here.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/new_tasks.hpp"
#include "graph/ordering.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
#include "graph/tasks/uncancellable.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

Handle TaskGraph::register_data(DataDescription description) {
  const LockGuard lock(state_.submission_mutex);
  const TaskReference home = home_of_new_data(state_);
  DataRecord& record = state_.data.registry.add(std::move(description));
  record.home = home;
  return {&record, record.handle_id()};
}

Result<Handle> TaskGraph::register_apart(DataDescription description) {
  if (auto here = state_.threads.home.check(); !here) return here.failure();
  const LockGuard lock(state_.submission_mutex);
  const TaskReference home = home_of_new_data(state_);
  const auto record = state_.data.registry.add_apart(std::move(description));
  if (!record) return record.failure();
  record.value()->home = home;
  return Handle(record.value(), record.value()->handle_id());
}

Result<void> TaskGraph::add_parts(DataRecord& record, std::span<const Block> blocks, std::vector<Handle>& handles,
                                  TaskList& ready) {
  auto parts = state_.data.registry.add_parts(record, blocks);
  if (!parts) return parts.failure();
  // Tasks that were submitted during the wait use the whole, and so they use the new parts, too.
  if (record.dependencies.open_reduction) close_reduction(state_, record, ready);
  const bool poisoned = record.poisoned.load(std::memory_order_relaxed);
  for (DataRecord* part : parts.value()) {
    part->dependencies = record.dependencies;
    part->home = record.home;
    if (poisoned) state_.failures.poison(part->handle_id(), state_.failures.poison_of(record.handle_id()));
    handles.emplace_back(part, part->handle_id());
  }
  state_.data.dividing.refuse_new(record, parts.value());
  return {};
}

Result<void> TaskGraph::add_parts_outside(DataRecord& record, std::span<const Block> blocks,
                                          std::vector<Handle>& handles, TaskList& ready) {
  if (state_.recordings.use(record)) return partitioned_while_recorded(record);
  return add_parts(record, blocks, handles, ready);
}

Result<std::vector<Handle>> TaskGraph::partition(const Handle& parent, std::span<const Block> blocks) {
  if (is_inside_nested(state_)) return partition_inside(parent, blocks);
  std::vector<Handle> handles;
  const auto add = [&](DataRecord& record, TaskList& ready) TROUPE_REQUIRES(state_.submission_mutex) {
    return add_parts_outside(record, blocks, handles, ready);
  };
  if (auto outcome = change_undisturbed(parent, false, add); !outcome) return outcome.failure();
  return handles;
}

Result<std::vector<Handle>> TaskGraph::halos(const Handle& parent, std::span<const Block> blocks, const Rim& rim) {
  if (auto here = state_.threads.home.check(); !here) return here.failure();
  const LockGuard lock(state_.submission_mutex);
  const auto record = state_.data.registry.find(parent, domain_here(state_));
  if (!record) return record.failure();
  const auto added = state_.data.registry.add_halos(*record.value(), blocks, rim);
  if (!added) return added.failure();
  return handles_of(added.value());
}

Result<std::vector<Handle>> TaskGraph::finish_partition(PendingHold& pending, std::span<const Block> blocks) {
  pending.note_.reset();
  std::vector<Handle> handles;
  const auto add = [&](DataRecord& record, TaskList& ready) TROUPE_REQUIRES(state_.submission_mutex) {
    return add_parts_outside(record, blocks, handles, ready);
  };
  if (auto outcome = change_held(pending.hold_, pending.handle_, false, add); !outcome) return outcome.failure();
  return handles;
}

Result<void> TaskGraph::add_reduction(DataRecord& record, ReductionMethods& methods) {
  if (auto complete = check_methods(methods, record); !complete) return complete;
  if (auto allowed = check_writable(record, AccessMode::reduce); !allowed) return allowed;
  auto reduction = std::make_unique<Reduction>(std::move(methods), state_.options.workers);
  state_.data.registry.keep_removed(std::exchange(record.reduction, std::move(reduction)));
  return {};
}

bool TaskGraph::is_own_and_unused(const Handle& handle) {
  const Task* const here = nesting_task_here(state_);
  const Domain* const domain = here != nullptr ? here->own_domain() : nullptr;
  const auto found = state_.data.registry.find(handle, domain);
  return domain != nullptr && found && found.value()->whole().home.id == domain->id &&
         !in_use(found.value()->whole(), nullptr);
}

Result<void> TaskGraph::set_reduction(const Handle& handle, ReductionMethods methods) {
  if (nesting_task_here(state_) != nullptr) {
    // A kernel does not wait for tasks on its data, and new data have none. The removed reductions are declared before
    // the lock guard, as functions of a former reduction may own data of this graph.
    RemovedReductions removed;
    const LockGuard lock(state_.submission_mutex);
    if (is_own_and_unused(handle)) {
      const Result<void> added = add_reduction(*handle.record(), methods);
      state_.data.registry.take_removed(removed);
      return added;
    }
  }
  const auto add = [&](DataRecord& record, TaskList&)
                       TROUPE_REQUIRES(state_.submission_mutex) { return add_reduction(record, methods); };
  return change_undisturbed(handle, false, add);
}

Result<void> TaskGraph::finish_set_reduction(PendingHold& pending, ReductionMethods methods) {
  pending.note_.reset();
  const auto add = [&](DataRecord& record, TaskList&)
                       TROUPE_REQUIRES(state_.submission_mutex) { return add_reduction(record, methods); };
  return change_held(pending.hold_, pending.handle_, false, add);
}

void TaskGraph::announce_release(const Handle& handle, bool releasing) {
  // Another thread may have released the handle.
  if (!DataRegistry::exists(handle)) return;
  handle.record()->visit_family([releasing](DataRecord& part) { part.refuse(releasing); });
}

Result<Task*> TaskGraph::hold_whole(const Handle& handle, bool releasing, TaskWaiter& waiter, TaskList& ready,
                                    bool& immediately) {
  const LockGuard lock(state_.submission_mutex);
  const auto record = state_.data.registry.find(handle);
  if (!record) return record.failure();
  const DataRecord* const parent = record.value()->parent;
  if (releasing && parent != nullptr && !parent->halos.empty() && state_.recordings.use(*record.value())) {
    return partitioned_while_recorded(*record.value());
  }
  DataRecord& root = record.value()->whole();
  if (auto ends = check_may_wait(root, AccessMode::read_write); !ends) return ends.failure();
  Task* const hold = &submit_hold(root, AccessMode::read_write, waiter, ready, immediately);
  // The hold is of the whole, but the part itself must stay until it can be changed.
  note_name(*record.value(), *hold);
  if (releasing) announce_release(handle, true);
  return hold;
}

Result<void> TaskGraph::change_held(Task* hold, const Handle& handle, bool releasing, const Change& change) {
  Result<DataRecord*> record(handle.record());
  if (!releasing || !DataRegistry::exists(handle)) {
    // Another thread may have released the handle during the wait. From here on no thread can release it, because this
    // thread holds the whole.
    const LockGuard lock(state_.submission_mutex);
    record = state_.data.registry.find(handle);
  }
  Result<void> outcome;
  if (!record) {
    outcome = record.failure();
  } else if (releasing) {
    outcome = bring_home_to_release(*record.value());
  } else {
    outcome = state_.host.bring_home(*record.value(), AccessMode::read_write);
  }
  TaskList closed;
  RemovedReductions removed;
  try {
    const LockGuard lock(state_.submission_mutex);
    if (outcome) {
      outcome = change(*record.value(), closed);
    } else if (releasing) {
      announce_release(handle, false);
    }
    state_.data.registry.take_removed(removed);
  } catch (...) {
    // There was no memory for the change.
    give_back(hold);
    throw;
  }
  if (!closed.empty()) state_.host.activate(closed, WorkerId{});
  give_back(hold);
  return outcome;
}

Result<void> TaskGraph::change_undisturbed(const Handle& handle, bool releasing, const Change& change) {
  const Uncancellable uncancellable;
  // A registration may end while its thread is recording: later runs of the recording then fail because the data are
  // gone.
  if (auto allowed = releasing ? check_outside_kernel(state_) : check_wait(state_); !allowed) return allowed;
  TaskWaiter waiter;
  TaskList ready;
  bool immediately = false;
  const Result<Task*> hold = hold_whole(handle, releasing, waiter, ready, immediately);
  if (!hold) return hold.failure();
  const WaitKind kind = releasing ? WaitKind::release : WaitKind::change;
  if (auto held = wait_for_hold(hold.value(), waiter, ready, immediately, kind); !held) {
    const LockGuard lock(state_.submission_mutex);
    if (releasing) announce_release(handle, false);
    return held;
  }
  return change_held(hold.value(), handle, releasing, change);
}

void TaskGraph::begin_pending(PendingHold& pending, TaskList& ready, bool immediately, WaitKind kind) {
  if (!ready.empty()) state_.host.activate(ready, WorkerId{});
  // The note may come late, because it serves inspections only, and a wait that has ended needs no note.
  pending.note_.emplace(state_.threads.waiting, kind, pending.hold_->task_id());
  if (immediately) pending.waiter_.signal();
}

Result<std::unique_ptr<PendingHold>> TaskGraph::begin_change(const Handle& handle, bool releasing,
                                                             std::function<void()> ready) {
  auto pending = std::make_unique<PendingHold>(std::move(ready));
  pending->handle_ = handle;
  pending->releasing_ = releasing;
  TaskList activated;
  bool immediately = false;
  const Result<Task*> hold = hold_whole(handle, releasing, pending->waiter_, activated, immediately);
  if (!hold) return hold.failure();
  pending->hold_ = hold.value();
  begin_pending(*pending, activated, immediately, releasing ? WaitKind::release : WaitKind::change);
  return pending;
}

Result<Task*> TaskGraph::acquire(const Handle& handle, AccessMode mode) {
  const Uncancellable uncancellable;
  if (auto allowed = check_hold_mode(mode); !allowed) return allowed.failure();
  auto hold = acquire_record(handle, mode);
  if (hold) hold = take_hold(hold.value(), mode);
  if (hold) state_.threads.holds.add(hold.value());
  return hold;
}

Result<Task*> TaskGraph::take_hold(Task* hold, AccessMode mode) {
  if (state_.failures.any_poison()) {
    if (const auto gone = why_abandoned(state_, *hold)) {
      give_back_refused(*hold);
      return *gone;
    }
  }
  if (reads(mode) && state_.failures.any_poison()) {
    if (const auto refusal = why_invalid(state_, *hold); refusal.cause) {
      state_.failures.told(refusal.origin);
      give_back_refused(*hold);
      return *refusal.cause;
    }
  }
  if (auto home = state_.host.bring_home(*hold->data()[0].data(), mode); !home) {
    give_back_refused(*hold);
    return home.failure();
  }
  return hold;
}

Result<std::unique_ptr<PendingHold>> TaskGraph::begin_acquire(const Handle& handle, AccessMode mode,
                                                              std::function<void()> ready) {
  if (auto allowed = check_hold_mode(mode); !allowed) return allowed.failure();
  auto pending = std::make_unique<PendingHold>(std::move(ready));
  pending->handle_ = handle;
  TaskList activated;
  bool immediately = false;
  {
    const LockGuard lock(state_.submission_mutex);
    const auto record = state_.data.registry.find(handle);
    if (!record) return record.failure();
    if (auto usable = check_usable(*record.value(), mode); !usable) return usable.failure();
    pending->hold_ = &submit_hold(*record.value(), mode, pending->waiter_, activated, immediately);
    note_acquired(*pending->hold_, *record.value(), mode);
  }
  begin_pending(*pending, activated, immediately, WaitKind::data);
  return pending;
}

Result<Task*> TaskGraph::finish_acquire(PendingHold& pending) {
  pending.note_.reset();
  pending.hold_->extras->held_since.store(WaitingThreads::now().count(), std::memory_order_relaxed);
  return take_hold(pending.hold_, pending.hold_->data()[0].mode());
}

void TaskGraph::note_acquired(Task& hold, DataRecord& record, AccessMode mode) {
  if (mode == AccessMode::write && state_.data.registry.any_to_check()) {
    record.visit_data([&hold](DataRecord& part) {
      if (part.content.unwritten) hold.extras->without_content.emplace_back(&part, part.handle_id());
    });
  }
  note_written(state_.data.registry, record, mode);
}

Task& TaskGraph::allocate_hold(DataRecord& record, AccessMode mode) {
  Task& hold = allocate_task(state_, nullptr, 1);
  hold.role = TaskRole::host;
  hold.extras = std::make_unique<TaskExtras>();
  hold.has_more = true;
  set_access(hold, 0, record, mode);
  note_name(record, hold);
  return hold;
}

Result<std::unique_ptr<PendingHold>> TaskGraph::begin_refusal(std::span<const Handle> written,
                                                              std::function<void()> ready) {
  auto pending = std::make_unique<PendingHold>(std::move(ready));
  TaskList activated;
  bool immediately = false;
  {
    const LockGuard lock(state_.submission_mutex);
    std::vector<DataRecord*> records;
    for (const Handle& handle : written) {
      const auto record = state_.data.registry.find(handle);
      if (!record) return record.failure();
      records.push_back(record.value());
    }
    Task& hold = allocate_task(state_, nullptr, records.size());
    hold.role = TaskRole::host;
    hold.extras = std::make_unique<TaskExtras>();
    hold.has_more = true;
    hold.extras->ready_waiter = &pending->waiter_;
    for (std::size_t i = 0; i < records.size(); ++i) set_access(hold, i, *records[i], AccessMode::write);
    note_names(hold);
    pending->hold_ = &hold;
    immediately = order_hold(hold, activated);
    for (DataRecord* record : records) note_written(state_.data.registry, *record, AccessMode::write);
  }
  begin_pending(*pending, activated, immediately, WaitKind::data);
  return pending;
}

void TaskGraph::finish_refusal(PendingHold& pending, TaskStatus status, const FailureLog::Cause& cause) {
  pending.note_.reset();
  end_outside([&](std::size_t slot, TaskList& ready) {
    finish(*pending.hold_, {status, cause, cause, slot, WorkerId{}}, ready);
  });
}

bool TaskGraph::order_hold(Task& hold, TaskList& ready) {
  DependencyBuilder builder(hold, state_.memory.edges, state_.submission_caches.edges);
  try {
    order_by_data(state_, hold, builder, ready);
  } catch (...) {
    give_up_task(state_, hold, builder, ready);
    throw;
  }
  return builder.finish();
}

Task& TaskGraph::submit_hold(DataRecord& record, AccessMode mode, TaskWaiter& waiter, TaskList& ready,
                             bool& immediately) {
  Task& hold = allocate_hold(record, mode);
  hold.extras->ready_waiter = &waiter;
  immediately = order_hold(hold, ready);
  return hold;
}

Result<void> TaskGraph::wait_for_hold(Task* hold, TaskWaiter& waiter, TaskList& ready, bool immediately,
                                      WaitKind kind) {
  if (!ready.empty()) state_.host.activate(ready, WorkerId{});
  Result<void> waited;
  if (!immediately) {
    const WaitingThreads::Note note(state_.threads.waiting, kind, hold->task_id());
    waited = block(waiter, WaitInterrupt::here());
  }
  if (waited) {
    hold->extras->held_since.store(WaitingThreads::now().count(), std::memory_order_relaxed);
  } else if (hold->extras->ready_waiter.exchange(nullptr, std::memory_order_acq_rel) == nullptr) {
    // The hold has become ready meanwhile, so its last predecessor signals the waiter, and this thread ends the hold.
    // Otherwise the last predecessor will end the hold.
    waiter.wait();
    give_back_unused(*hold);
  }
  return waited;
}

void TaskGraph::give_back_unused(Task& hold) {
  end_outside([&](std::size_t slot, TaskList& ready) { end_unused(hold, slot, ready); });
}

void TaskGraph::give_back_refused(Task& hold) {
  if (Domain* const outer = hold.outer_domain()) outer->held.fetch_sub(1, std::memory_order_relaxed);
  give_back_unused(hold);
}

void TaskGraph::withdraw(PendingHold& pending) {
  pending.note_.reset();
  if (pending.dividing_) keep_parts(pending.handle_, {});
  if (!pending.releasing_) return;
  const LockGuard lock(state_.submission_mutex);
  announce_release(pending.handle_, false);
}

void TaskGraph::finish_withdrawn(PendingHold& pending) { give_back_unused(*pending.hold_); }

Result<Task*> TaskGraph::acquire_record(const Handle& handle, AccessMode mode) {
  if (nesting_task_here(state_) != nullptr) return acquire_inside(handle, mode);
  if (auto allowed = check_wait(state_); !allowed) return allowed.failure();
  TaskWaiter waiter;
  TaskList ready;
  Task* hold = nullptr;
  bool immediately = false;
  {
    const LockGuard lock(state_.submission_mutex);
    const auto record = state_.data.registry.find(handle);
    if (!record) return record.failure();
    if (auto usable = check_usable(*record.value(), mode); !usable) return usable.failure();
    if (auto ends = check_may_wait(*record.value(), mode); !ends) return ends.failure();
    hold = &submit_hold(*record.value(), mode, waiter, ready, immediately);
    note_acquired(*hold, *record.value(), mode);
  }
  if (auto held = wait_for_hold(hold, waiter, ready, immediately, WaitKind::data); !held) return held.failure();
  return hold;
}

void TaskGraph::give_back(Task* hold) {
  if (state_.threads.home.left()) return;
  state_.threads.holds.remove(hold);
  if (Domain* const outer = hold->outer_domain()) outer->held.fetch_sub(1, std::memory_order_relaxed);
  end_outside([&](std::size_t slot, TaskList& ready) {
    finish(*hold, {TaskStatus::succeeded, nullptr, nullptr, slot, WorkerId{}}, ready);
  });
}

Result<std::vector<HandleId>> TaskGraph::data_of(const Handle& handle) {
  const LockGuard lock(state_.submission_mutex);
  const auto record = state_.data.registry.find(handle);
  if (!record) return record.failure();
  std::vector<HandleId> parts;
  record.value()->visit_data([&](const DataRecord& part) { parts.push_back(part.handle_id()); });
  return parts;
}

std::size_t TaskGraph::handles() {
  const LockGuard lock(state_.submission_mutex);
  return state_.data.registry.size();
}

Result<Layout> TaskGraph::layout_of(const Handle& handle) {
  const LockGuard lock(state_.submission_mutex);
  const auto record = state_.data.registry.find(handle, domain_here(state_));
  if (!record) return record.failure();
  return record.value()->view.layout;
}

DataView TaskGraph::view_of(const Handle& handle) { return handle.record()->view; }

}  // namespace troupe::graph
