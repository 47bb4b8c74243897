#include "graph/data/commute_lock.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/data/data_record.hpp"
#include "proto/mutex.hpp"

namespace troupe::graph {

namespace {

/// Returns the records that the task uses in mode commute, each once, ordered by id. The children of a record do not
/// change while a task that uses the record is in flight.
std::vector<DataRecord*> commute_set(const Task& task) {
  std::vector<DataRecord*> records;
  for (const TaskAccess& access : task.data()) {
    if (access.mode() != AccessMode::commute) continue;
    access.data()->visit_tree([&](DataRecord& record) { records.push_back(&record); });
  }
  std::sort(records.begin(), records.end(),
            [](const DataRecord* a, const DataRecord* b) { return a->handle_id() < b->handle_id(); });
  return records;
}

}  // namespace

bool CommuteLock::acquire_or_park(Task* task) noexcept {
  const LockGuard lock(mutex_);
  if (holder_ == nullptr) {
    holder_ = task;
    return true;
  }
  waiting_.push_back(task);
  return false;
}

void CommuteLock::wake_oldest(DataRecord& self, TaskList& retry) noexcept {
  if (holder_ != nullptr || waiting_.empty()) return;
  Task* task = waiting_.pop_front();
  task->woken_by = &self;
  retry.push_back(task);
}

void CommuteLock::release(DataRecord& self, TaskList& retry) noexcept {
  const LockGuard lock(mutex_);
  holder_ = nullptr;
  wake_oldest(self, retry);
}

void CommuteLock::pass_on(DataRecord& self, TaskList& retry) noexcept {
  const LockGuard lock(mutex_);
  wake_oldest(self, retry);
}

bool acquire_commute(Task& task, TaskList& retry) {
  const std::vector<DataRecord*> records = commute_set(task);
  DataRecord* const turn = std::exchange(task.woken_by, nullptr);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i]->commute.acquire_or_park(&task)) continue;
    // The task is now parked, so another thread may run it from here on.
    for (std::size_t j = 0; j < i; ++j) records[j]->commute.release(*records[j], retry);
    if (turn != nullptr) turn->commute.pass_on(*turn, retry);
    return false;
  }
  task.commute.holds = true;
  return true;
}

void release_commute(Task& task, TaskList& retry) {
  task.commute.holds = false;
  for (DataRecord* record : commute_set(task)) record->commute.release(*record, retry);
}

void renounce_commute(Task& task, TaskList& retry) {
  DataRecord* const turn = std::exchange(task.woken_by, nullptr);
  if (turn != nullptr) turn->commute.pass_on(*turn, retry);
}

}  // namespace troupe::graph
