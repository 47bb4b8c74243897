#include "client/remote/tasks_behind_hold.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace troupe::remote {

namespace {

/// The largest number of accesses that are kept. A task that waits for the hold only because of further accesses is not
/// found.
constexpr std::size_t kMostUses = 4096;

/// Returns true if the later one of two uses has to wait for the earlier one.
bool conflict(const TasksBehindHold::Use& one, const TasksBehindHold::Use& other) {
  if (!writes(one.mode) && !writes(other.mode)) return false;
  const bool in_any_order = one.mode == AccessMode::commute || one.mode == AccessMode::reduce;
  return !(in_any_order && one.mode == other.mode) && overlap(*one.record, *other.record);
}

}  // namespace

bool overlap(const graph::DataRecord& one, const graph::DataRecord& other) {
  if (one.is_halo && !other.is_halo) return overlap(other, one);
  if (!other.is_halo) return one.contains(other) || other.contains(one);
  return std::ranges::any_of(other.children, [&](const graph::DataRecord* overlapped) {
    return one.is_halo ? std::ranges::find(one.children, overlapped) != one.children.end() : one.contains(*overlapped);
  });
}

bool TasksBehindHold::holds(const Use& next) const {
  return std::ranges::any_of(uses_,
                             [&](const NotedUse& noted) { return noted.task == 0 && conflict(noted.use, next); });
}

void TasksBehindHold::follow(const graph::DataRecord& former, const graph::DataRecord& part) {
  const std::size_t noted_before = uses_.size();
  for (std::size_t i = 0; i < noted_before && uses_.size() < kMostUses; ++i) {
    if (uses_[i].use.record == &former) uses_.push_back({{&part, AccessMode::read_write}, uses_[i].task});
  }
}

void TasksBehindHold::note(std::uint64_t task, std::span<const Use> uses, std::span<const std::uint64_t> after,
                           std::uint64_t tasks) {
  std::optional<std::uint64_t> waits_for;
  bool only_children = true;
  for (const std::uint64_t before : after) {
    if (!waiting_.contains(before)) continue;
    waits_for = before;
    only_children = false;
  }
  // The search begins with the oldest use, that of the hold itself: unlike a task, the hold cannot end while others
  // wait for it.
  for (const NotedUse& noted : uses_) {
    if (waits_for) break;
    for (const Use& use : uses) {
      if (!conflict(noted.use, use)) continue;
      waits_for = noted.task;
      only_children = only_children && use.weak;
    }
  }
  if (!waits_for) return;
  waiting_.emplace(task, Waiting{*waits_for, tasks});
  if (uses_.size() + uses.size() > kMostUses) return;
  // If only children of this nested task wait, a later use of the task's other data need not wait for these children.
  const std::size_t noted_before = uses_.size();
  for (const Use& use : uses) {
    const auto meets = [&](const NotedUse& noted) { return conflict(noted.use, use); };
    const auto last = uses_.begin() + static_cast<std::ptrdiff_t>(noted_before);
    if (!only_children || std::any_of(uses_.begin(), last, meets)) uses_.push_back({use, task});
  }
}

bool TasksBehindHold::waits(std::uint64_t task, const Pending& pending) const {
  while (task != 0) {
    const auto found = waiting_.find(task);
    if (found == waiting_.end() || !pending(task)) return false;
    task = found->second.before;
  }
  return true;
}

std::uint64_t TasksBehindHold::first(const Pending& pending) const {
  for (const auto& [task, waiting] : waiting_) {
    if (waits(task, pending)) return task;
  }
  return 0;
}

void TasksBehindHold::collect(const Pending& pending, std::map<std::uint64_t, std::uint64_t>& found) const {
  // A task has a higher number than the task for which it waits, so one pass in ascending order finds all.
  std::unordered_set<std::uint64_t> waits{0};
  for (const auto& [task, waiting] : waiting_) {
    if (!waits.contains(waiting.before) || !pending(task)) continue;
    waits.insert(task);
    found.emplace(task, waiting.tasks);
  }
}

std::uint64_t TasksBehindHold::find(const Use& next, const Pending& pending) const {
  for (const NotedUse& noted : uses_) {
    if (noted.task != 0 && conflict(noted.use, next) && waits(noted.task, pending)) return noted.task;
  }
  return 0;
}

void TasksBehindHold::forget(graph::DataRecord& record) {
  record.visit_family([this](const graph::DataRecord& one) {
    std::erase_if(uses_, [&one](const NotedUse& noted) { return noted.use.record == &one; });
  });
}

}  // namespace troupe::remote
