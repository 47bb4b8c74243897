/// The functions of the task graph for data: handles and their blocks, reductions, data that the program holds.
#include <algorithm>
#include <utility>

#include "graph/codelets/execution_scope.hpp"
#include "graph/completion.hpp"
#include "graph/data/usable.hpp"
#include "graph/here.hpp"
#include "graph/holds/hold_checks.hpp"
#include "graph/holds/named_parts.hpp"
#include "graph/holds/new_holds.hpp"
#include "graph/holds/parts.hpp"
#include "graph/holds/waits.hpp"
#include "graph/nesting/divisions.hpp"
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

Result<void> TaskGraph::add_parts_outside(DataRecord& record, std::span<const Block> blocks,
                                          std::vector<Handle>& handles, TaskList& ready) {
  if (state_.recordings.use(record)) return partitioned_while_recorded(record);
  return add_parts(state_, record, blocks, handles, ready);
}

Result<std::vector<Handle>> TaskGraph::partition(const Handle& parent, std::span<const Block> blocks) {
  if (is_inside_nested(state_)) return partition_inside(state_, parent, blocks);
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
  if (auto ends = graph::check_may_wait(state_, root, AccessMode::read_write); !ends) return ends.failure();
  Task* const hold = &submit_hold(state_, root, AccessMode::read_write, waiter, ready, immediately);
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
    pending->hold_ = &submit_hold(state_, *record.value(), mode, pending->waiter_, activated, immediately);
    note_acquired(state_, *pending->hold_, *record.value(), mode);
  }
  begin_pending(*pending, activated, immediately, WaitKind::data);
  return pending;
}

Result<Task*> TaskGraph::finish_acquire(PendingHold& pending) {
  pending.note_.reset();
  pending.hold_->extras->held_since.store(WaitingThreads::now().count(), std::memory_order_relaxed);
  return take_hold(pending.hold_, pending.hold_->data()[0].mode());
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
    immediately = order_hold(state_, hold, activated);
    for (DataRecord* record : records) note_written(state_.data.registry, *record, AccessMode::write);
  }
  begin_pending(*pending, activated, immediately, WaitKind::data);
  return pending;
}

void TaskGraph::finish_refusal(PendingHold& pending, TaskStatus status, const FailureLog::Cause& cause) {
  pending.note_.reset();
  end_outside(state_, [&](std::size_t slot, TaskList& ready) {
    finish_task(state_, *pending.hold_, {status, cause, cause, slot, WorkerId{}}, ready);
  });
}

Result<void> TaskGraph::wait_for_hold(Task* hold, TaskWaiter& waiter, TaskList& ready, bool immediately,
                                      WaitKind kind) {
  if (!ready.empty()) state_.host.activate(ready, WorkerId{});
  Result<void> waited;
  if (!immediately) {
    const WaitingThreads::Note note(state_.threads.waiting, kind, hold->task_id());
    waited = block_until(state_, waiter, WaitInterrupt::here());
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
  end_outside(state_, [&](std::size_t slot, TaskList& ready) { end_unused(state_, hold, slot, ready); });
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
    if (auto ends = graph::check_may_wait(state_, *record.value(), mode); !ends) return ends.failure();
    hold = &submit_hold(state_, *record.value(), mode, waiter, ready, immediately);
    note_acquired(state_, *hold, *record.value(), mode);
  }
  if (auto held = wait_for_hold(hold, waiter, ready, immediately, WaitKind::data); !held) return held.failure();
  return hold;
}

void TaskGraph::give_back(Task* hold) {
  if (state_.threads.home.left()) return;
  state_.threads.holds.remove(hold);
  if (Domain* const outer = hold->outer_domain()) outer->held.fetch_sub(1, std::memory_order_relaxed);
  end_outside(state_, [&](std::size_t slot, TaskList& ready) {
    finish_task(state_, *hold, {TaskStatus::succeeded, nullptr, nullptr, slot, WorkerId{}}, ready);
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

Result<void> TaskGraph::discard(const Handle& handle) {
  if (auto here = state_.threads.home.check(); !here) return here;
  const Recording* const recording = recording_here(state_);
  TaskList ready;
  Task* hold = nullptr;
  bool unused = false;
  {
    const LockGuard lock(state_.submission_mutex);
    const auto found = state_.data.registry.find(handle);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    if (recording != nullptr) return discards_in_recording(record);
    if (auto allowed = check_halo(record, AccessMode::write); !allowed) return allowed;
    if (record.content.read_only) return discards_const(record);
    if (record.home.id != home_here(state_).id) return discards_declared(record);
    // If the content is discarded already, nothing is left to do. Without this line, discards in a loop would wait for
    // one another in a chain, which `end_discard` would follow recursively.
    if (DataRegistry::is_discarded(record)) return {};
    hold = &allocate_hold(state_, record, AccessMode::write);
    hold->extras->discards = true;
    hold->extras->name = "discard";
    unused = order_hold(state_, *hold, ready);
    state_.data.registry.note_discarded(record);
  }
  if (!ready.empty()) state_.host.activate(ready, WorkerId{});
  if (unused) end_outside(state_, [&](std::size_t slot, TaskList& next) { end_discard(state_, *hold, slot, next); });
  return {};
}

}  // namespace troupe::graph
