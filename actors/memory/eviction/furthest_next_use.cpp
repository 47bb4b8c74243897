#include "actors/memory/eviction/furthest_next_use.hpp"

#include <algorithm>
#include <utility>

namespace troupe::memory {

namespace {

/// Data that are needed later have a lower rank, and are evicted first. `kNever` is the rank of data that no task
/// needs; the ranks of data for tasks that the node expects are at least `kHere`.
constexpr std::uint64_t kNever = 0;
constexpr std::uint64_t kHere = std::uint64_t{1} << 63U;
/// If a node expects at least this many tasks, the scheduler must be one that places tasks well before they start: with
/// other schedulers, workers fetch data for fewer tasks. The mode `in_order` ends only below half of this number, so
/// that the mode does not change all the time.
constexpr std::uint32_t kWellAhead = 8;

}  // namespace

FurthestNextUse::FurthestNextUse(std::shared_ptr<UpcomingTasks> upcoming) : upcoming_(std::move(upcoming)) {}

const FurthestNextUse::Task* FurthestNextUse::find(std::uint64_t task) const {
  const auto found = std::ranges::lower_bound(tasks_, task, {}, &Task::id);
  return found == tasks_.end() || found->id != task || !found->upcoming ? nullptr : &*found;
}

void FurthestNextUse::take_submitted() {
  if (!upcoming_->take(batch_)) return;
  std::size_t next = 0;
  for (const auto& [task, count] : batch_.tasks) {
    const std::uint64_t id = task.value();
    Task& added = tasks_.emplace_back();
    added.id = id;
    added.needs_begin = first_need_ + needs_.size();
    added.needs = count;
    added.upcoming = count > 0;  // a task without needs may never ask for data
    for (std::uint32_t i = 0; i < count; ++i) add_need(batch_.handles[next++], id);
  }
  for (const TaskId id : batch_.dropped) {
    if (Task* task = find(id.value())) forget(*task);
  }
  trim();
}

void FurthestNextUse::add_need(HandleId handle, std::uint64_t task) {
  const std::uint64_t number = first_need_ + needs_.size();
  Future& future = futures_.make(handle);
  needs_.push_back({handle, task, future.last, kNone});
  (future.last != kNone ? need(future.last).later : future.first) = number;
  future.last = number;
  if (++future.needs == future.expected + 1) changed(handle);
}

void FurthestNextUse::remove_need(const Need& gone) {
  Future& future = futures_[gone.handle];
  (gone.earlier != kNone ? need(gone.earlier).later : future.first) = gone.later;
  (gone.later != kNone ? need(gone.later).earlier : future.last) = gone.earlier;
  if (--future.needs == 0) futures_.remove(gone.handle);
  changed(gone.handle);
}

void FurthestNextUse::expected(NodeId node, TaskId id, std::span<const Use> /*uses*/) {
  take_submitted();
  Task* task = find(id.value());
  if (task == nullptr || task->node == node.value()) return;
  const bool moved = task->node != kNobody;
  if (moved) --outlook(task->node).expected;
  ++outlook(node.value()).expected;
  task->node = static_cast<std::uint32_t>(node.value());
  task->turn = ++turns_;
  for (std::uint32_t i = 0; i < task->needs; ++i) {
    const HandleId handle = need(task->needs_begin + i).handle;
    if (!moved) ++futures_[handle].expected;
    changed(handle);
  }
}

void FurthestNextUse::begun(TaskId id) {
  take_submitted();
  Task* task = find(id.value());
  if (task != nullptr) forget(*task);
}

void FurthestNextUse::forget(Task& task) {
  const bool was_expected = task.node != kNobody;
  if (was_expected) --outlook(task.node).expected;
  for (std::uint32_t i = 0; i < task.needs; ++i) {
    const Need& gone = need(task.needs_begin + i);
    if (was_expected) --futures_[gone.handle].expected;
    remove_need(gone);
  }
  task.upcoming = false;
  trim();
}

void FurthestNextUse::trim() {
  while (!tasks_.empty() && !tasks_.front().upcoming) {
    const auto gone = static_cast<std::ptrdiff_t>(tasks_.front().needs);
    needs_.erase(needs_.begin(), needs_.begin() + gone);
    first_need_ += static_cast<std::uint64_t>(gone);
    tasks_.pop_front();
  }
}

std::uint64_t FurthestNextUse::rank(NodeId node, HandleId handle) const {
  const Future* const future = futures_.find(handle);
  if (future == nullptr) return kNever;
  const bool in_order = node.index() < outlooks_.size() && outlooks_[node.index()].in_order;
  std::uint64_t first_free = kNever;
  std::uint64_t first_here = kNever;
  std::uint32_t expected = future->expected;
  for (std::uint64_t number = future->first; number != kNone; number = need(number).later) {
    if (expected == 0 && first_free != kNever) break;
    const std::uint64_t id = need(number).task;
    const Task& task = *find(id);
    if (task.node == kNobody) {
      if (first_free == kNever) first_free = in_order ? kHere - 1 - id : kHere - 1;
      continue;
    }
    --expected;
    if (task.node == node.value()) first_here = std::max(first_here, ~task.turn);
  }
  return first_here != kNever ? first_here : first_free;
}

void FurthestNextUse::look_ahead(NodeId node) {
  Outlook& now = outlook(node.value());
  const bool in_order = now.expected >= (now.in_order ? kWellAhead / 2 : kWellAhead);
  if (in_order == now.in_order) return;
  now.in_order = in_order;
  all_changed(node);
}

HandleId FurthestNextUse::next_victim(NodeId node, const Candidate& candidate, std::size_t look_at) {
  take_submitted();
  look_ahead(node);
  return RankedEviction::next_victim(node, candidate, look_at);
}

bool FurthestNextUse::gives_way_to_prefetches(NodeId node, HandleId handle) { return rank(node, handle) < kHere; }

}  // namespace troupe::memory
