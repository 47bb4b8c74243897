#include "graph/data/domain.hpp"

#include <algorithm>
#include <span>

namespace troupe::graph {

void Domain::note(const Ending& ending) {
  const LockGuard lock(mutex_);
  if (ending_.status == TaskStatus::succeeded || (ending.own && !ending_.own)) ending_ = ending;
}

Domain::Ending Domain::ending() const {
  const LockGuard lock(mutex_);
  return ending_;
}

DependencyState& Domain::state_of(DataRecord& record) {
  if (record.home == id) return record.dependencies;
  const auto [found, added] = states.try_emplace(&record);
  if (!added) return found->second;
  for (const DataRecord* whole = record.parent; whole != nullptr; whole = whole->parent) {
    const auto of_whole = states.find(whole);
    if (of_whole == states.end()) continue;
    found->second = of_whole->second;
    break;
  }
  return found->second;
}

const DependencyState* Domain::find(const DataRecord& record) const {
  if (record.home == id) return &record.dependencies;
  for (const DataRecord* one = &record; one != nullptr; one = one->parent) {
    const auto found = states.find(one);
    if (found != states.end()) return &found->second;
  }
  return nullptr;
}

const TaskAccess* Domain::declared(const DataRecord& record) const {
  for (const DataRecord* one = &record; one != nullptr; one = one->parent) {
    for (const TaskAccess& access : parent.data()) {
      if (access.data() == one) return &access;
    }
    for (const TaskAccess& access : weak) {
      if (access.data() == one) return &access;
    }
  }
  return nullptr;
}

bool Domain::uses(const DataRecord& record) const {
  const TaskAccess* const access = declared(record);
  const std::span<const TaskAccess> own = parent.data();
  return access != nullptr && !own.empty() && access >= &own.front() && access <= &own.back();
}

bool parent_gave_up(const Task& task) {
  for (const Domain* domain = task.outer_domain(); domain != nullptr; domain = domain->parent.outer_domain()) {
    if (domain->cancelled.load(std::memory_order_relaxed)) return true;
  }
  return false;
}

bool may_follow(const Task& task, const Domain& domain) {
  // A task around both, or a task of a domain around the child, is found. Tasks of one domain wait only for earlier
  // ones.
  for (const Task* one = &task;; one = &one->outer_domain()->parent) {
    const Domain* around = &domain;
    const Task* member = nullptr;
    while (around != nullptr && around != one->outer_domain()) {
      member = &around->parent;
      around = member->outer_domain();
    }
    if (around == one->outer_domain()) return member == nullptr || one->task_id() < member->task_id();
  }
}

namespace {

bool take_out(std::vector<TaskReference>& tasks, const TaskReference& one) {
  return std::erase_if(tasks,
                       [&one](const TaskReference& other) { return other.task == one.task && other.id == one.id; }) > 0;
}

void add_all(std::vector<TaskReference>& to, const std::vector<TaskReference>& tasks) {
  to.insert(to.end(), tasks.begin(), tasks.end());
}

}  // namespace

const std::vector<TaskReference>& last_tasks(const DependencyState& state, AccessMode mode) {
  // The readers have waited for the epoch themselves, so a writer waits for them alone.
  return writes(mode) && !state.readers.empty() ? state.readers : state.writers;
}

void replace_parent(DependencyState& state, const TaskReference& parent, const DependencyState* inner) {
  const bool wrote = take_out(state.writers, parent);
  const bool has_read = take_out(state.readers, parent);
  const bool was_before = take_out(state.before, parent);
  if (inner == nullptr) return;
  if (wrote) {
    // A nested task neither commutes nor reduces, so it was the only writer of its epoch.
    state.kind = inner->kind;
    state.before = inner->before;
    add_all(state.writers, inner->writers);
  }
  if (wrote || has_read) add_all(state.readers, inner->readers);
  if (was_before) add_all(state.before, last_tasks(*inner, AccessMode::write));
}

}  // namespace troupe::graph
