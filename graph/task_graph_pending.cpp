/// The functions of the task graph for threads that serve many clients and must not block: each wait is two calls.
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graph/completion.hpp"
#include "graph/data/usable.hpp"
#include "graph/holds/changes.hpp"
#include "graph/holds/holds.hpp"
#include "graph/holds/parts.hpp"
#include "graph/holds/repartition.hpp"
#include "graph/new_tasks.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

Result<std::vector<Handle>> TaskGraph::finish_partition(PendingHold& pending, std::span<const Block> blocks) {
  pending.note_.reset();
  std::vector<Handle> handles;
  const Change change = parts_to_add(state_, blocks, handles);
  if (auto outcome = change_held(state_, pending.hold_, pending.handle_, false, change); !outcome) {
    return outcome.failure();
  }
  return handles;
}

Result<void> TaskGraph::finish_set_reduction(PendingHold& pending, ReductionMethods methods) {
  pending.note_.reset();
  return change_held(state_, pending.hold_, pending.handle_, false, reduction_to_add(state_, methods));
}

Result<std::unique_ptr<PendingHold>> TaskGraph::begin_change(const Handle& handle, bool releasing,
                                                             std::function<void()> ready) {
  auto pending = std::make_unique<PendingHold>(std::move(ready));
  pending->handle_ = handle;
  pending->releasing_ = releasing;
  TaskList activated;
  bool immediately = false;
  const Result<Task*> hold = hold_whole(state_, handle, releasing, pending->waiter_, activated, immediately);
  if (!hold) return hold.failure();
  pending->hold_ = hold.value();
  activate(state_, activated);
  pending->begin(state_.threads.waiting, releasing ? WaitKind::release : WaitKind::change, immediately);
  return pending;
}

Result<std::unique_ptr<PendingHold>> TaskGraph::begin_acquire(const Handle& handle, AccessMode mode,
                                                              std::function<void()> ready) {
  if (auto allowed = check_hold_mode(mode); !allowed) return allowed.failure();
  auto pending = std::make_unique<PendingHold>(std::move(ready));
  pending->handle_ = handle;
  TaskList activated;
  bool immediately = false;
  const auto hold = begin_hold(state_, handle, mode, pending->waiter_, activated, immediately);
  if (!hold) return hold.failure();
  pending->hold_ = hold.value();
  activate(state_, activated);
  pending->begin(state_.threads.waiting, WaitKind::data, immediately);
  return pending;
}

Result<Task*> TaskGraph::finish_acquire(PendingHold& pending) {
  pending.note_.reset();
  pending.hold_->extras->held_since.store(WaitingThreads::now().count(), std::memory_order_relaxed);
  return take_hold(state_, pending.hold_, pending.hold_->data()[0].mode());
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
  activate(state_, activated);
  pending->begin(state_.threads.waiting, WaitKind::data, immediately);
  return pending;
}

void TaskGraph::finish_refusal(PendingHold& pending, TaskStatus status, const FailureLog::Cause& cause) {
  pending.note_.reset();
  end_outside(state_, [&](std::size_t slot, TaskList& ready) {
    finish_task(state_, *pending.hold_, {status, cause, cause, slot, WorkerId{}}, ready);
  });
}

void TaskGraph::withdraw(PendingHold& pending) {
  pending.note_.reset();
  if (pending.dividing_) keep_parts(state_, pending.handle_, {});
  if (!pending.releasing_) return;
  const LockGuard lock(state_.submission_mutex);
  announce_release(state_, pending.handle_, false);
}

void TaskGraph::finish_withdrawn(PendingHold& pending) { give_back_unused(state_, *pending.hold_); }

Result<void> TaskGraph::finish_release(PendingHold& pending) {
  pending.note_.reset();
  return change_held(state_, pending.hold_, pending.handle_, true,
                     [this](DataRecord& record, TaskList&) TROUPE_REQUIRES(state_.submission_mutex) -> Result<void> {
                       forget_data(state_, record);
                       return {};
                     });
}

Result<BegunRepartition> TaskGraph::begin_repartition(const Handle& parent, std::span<const Block> blocks,
                                                      bool may_wait, std::function<void()> ready) {
  auto at_once = replace_at_once(state_, parent, blocks, may_wait);
  if (!at_once) return at_once.failure();
  if (at_once.value()) return BegunRepartition{*std::move(at_once).value(), nullptr};
  auto pending = begin_change(parent, false, std::move(ready));
  if (!pending) return keep_parts(state_, parent, pending.failure());
  pending.value()->dividing_ = true;
  return BegunRepartition{{}, std::move(pending).value()};
}

Result<std::vector<Handle>> TaskGraph::finish_repartition(PendingHold& pending, std::span<const Block> blocks) {
  pending.note_.reset();
  std::vector<Handle> parts;
  const Change change = division_at_last(state_, blocks, parts);
  if (auto outcome = change_held(state_, pending.hold_, pending.handle_, false, change); !outcome) {
    return keep_parts(state_, pending.handle_, outcome.failure());
  }
  return parts;
}

}  // namespace troupe::graph
