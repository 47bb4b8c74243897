#include "graph/data/domain.hpp"

#include <algorithm>
#include <span>

namespace troupe::graph {

TaskGraph* Task::client_graph() const { return nesting.is_child ? client.domain->client_graph : client.graph; }

void Domain::note(const Ending& ending) {
  const auto weight = [](const Ending& one) {
    if (one.own) return 3;
    return one.status == TaskStatus::failed ? 2 : one.status == TaskStatus::cancelled ? 1 : 0;
  };
  const LockGuard lock(mutex_);
  if (weight(ending) > weight(ending_)) ending_ = ending;
}

Domain::Ending Domain::ending() const {
  const LockGuard lock(mutex_);
  return ending_;
}

DependencyState& Domain::state_of(DataRecord& record) {
  if (record.home.id == id) return record.dependencies;
  const auto found = states.find(key_of(record));
  if (found != states.end()) return found->second;
  const DependencyState* const of_whole = find(record);
  return states.emplace(key_of(record), of_whole != nullptr ? *of_whole : DependencyState()).first->second;
}

const DependencyState* Domain::find(const DataRecord& record) const {
  if (record.home.id == id) return &record.dependencies;
  for (const DataRecord* one = &record; one != nullptr; one = one->parent) {
    const auto found = states.find(key_of(*one));
    if (found != states.end()) return &found->second;
  }
  return nullptr;
}

const DependencyState* Domain::find_own(const DataRecord& record) const {
  const auto found = states.find(key_of(record));
  return found != states.end() ? &found->second : nullptr;
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
  // A task that declares a halo part reads the records that the halo part overlaps, and so declares these, too.
  for (const DataRecord* one = &record; one != nullptr; one = one->parent) {
    for (const TaskAccess& access : parent.data()) {
      const DataRecord& data = *access.data();
      if (data.is_halo && std::ranges::find(data.children, one) != data.children.end()) return &access;
    }
  }
  return nullptr;
}

bool Domain::children_write(DataRecord& record) const {
  bool all = true;
  record.visit_data([&](const DataRecord& part) {
    const DependencyState* const state = find(part);
    // Writers with lower ids than the parent are older than the parent, so they are not its children.
    all = all && state != nullptr &&
          std::ranges::any_of(state->writers, [this](const TaskReference& task) { return task.id > id; });
  });
  return all;
}

bool Domain::uses(const DataRecord& record) const {
  const TaskAccess* const access = declared(record);
  const std::span<const TaskAccess> own = parent.data();
  return access != nullptr && !own.empty() && access >= &own.front() && access <= &own.back();
}

bool is_seen_around(const Domain& inner, const Domain* around, const DataRecord& part) {
  const TaskReference& maker = part.made.in;
  if (maker.id == 0) return true;
  // The parent itself, or a task inside it, made the part: a nested task has a lower id than the tasks inside it.
  if (maker.id >= inner.id) return false;
  if (maker.ended()) return true;
  while (around != nullptr && around->id != maker.id) around = around->parent.outer_domain();
  return around != nullptr;
}

bool has_unseen_parts(const Domain& inner, const Domain* around, const DataRecord& record) {
  const auto unseen = [&](const DataRecord* part) { return !is_seen_around(inner, around, *part); };
  return !record.is_halo && std::ranges::any_of(record.children, unseen);
}

void move_home(const std::vector<DataRecord*>& wholes, const Domain* domain) {
  for (DataRecord* const whole : wholes) {
    whole->visit_family([home = home_in(domain)](DataRecord& part) { part.home = home; });
  }
}

bool parent_gave_up(const Task& task, std::uint64_t below) {
  for (const Domain* domain = task.outer_domain(); domain != nullptr; domain = domain->parent.outer_domain()) {
    if (domain->cancelled.load(std::memory_order_relaxed) || domain->id < below) return true;
  }
  return false;
}

bool may_follow(const Task& task, const Domain& domain) {
  // `one` goes from `task` outwards to a task in a domain that is `domain` or lies around it. `member` is the task
  // around the child in that same domain. Tasks of one domain wait only for earlier tasks of the domain.
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

/// Makes room in `list` for all tasks of `more`. Removes tasks that have ended from `list`.
void make_room_for(std::vector<TaskReference>& list, const std::vector<TaskReference>& more) {
  std::erase_if(list, [](const TaskReference& task) { return task.ended(); });
  list.reserve(list.size() + more.size());
}

/// Adds those of `tasks` that have ids above `above` and have not ended. `to` must have room for them.
void add(std::vector<TaskReference>& to, const std::vector<TaskReference>& tasks, std::uint64_t above = 0) {
  for (const TaskReference& task : tasks) {
    if (task.id > above && !task.ended()) to.push_back(task);
  }
}

}  // namespace

const std::vector<TaskReference>& last_tasks(const DependencyState& state, AccessMode mode) {
  // The readers have waited for the epoch themselves, so a writer waits for them alone.
  return writes(mode) && !state.readers.empty() ? state.readers : state.writers;
}

void replace_parent(DependencyState& state, const TaskReference& parent, const DependencyState* inner, Task& ended) {
  static const DependencyState kUnused;
  const DependencyState& last = inner != nullptr ? *inner : kUnused;
  const std::vector<TaskReference>& last_of_all = last_tasks(last, AccessMode::write);
  std::uint64_t written_by = 0;
  for (const TaskReference& writer : state.writers) written_by = std::max(written_by, writer.id);
  std::vector<TaskReference> before(last.before);
  make_room_for(state.writers, last.writers);
  make_room_for(state.readers, last.readers);
  make_room_for(state.before, last_of_all);
  // Nothing below throws.
  const bool wrote = take_out(state.writers, parent);
  const bool has_read = take_out(state.readers, parent);
  const bool was_before = take_out(state.before, parent);
  if (wrote) {
    // A nested task neither commutes nor reduces, so it was the only writer of its epoch.
    state.kind = last.kind;
    state.before.swap(before);
    add(state.writers, last.writers);
    add(state.readers, last.readers);
  }
  // The room is that of a former writer. Nobody waits for this writer, but `Domain::children_write` still finds one.
  if (state.writers.empty() && written_by != 0) state.writers.push_back({&ended, written_by});
  // Readers with lower ids are older than the parent, and are in the list already.
  if (has_read && !wrote) add(state.readers, last.readers, parent.id);
  if (was_before) add(state.before, last_of_all);
}

}  // namespace troupe::graph
