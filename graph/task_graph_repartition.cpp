/// Parts that change while tasks use them.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "graph/data/domain.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

void TaskGraph::refuse_parts(DataRecord& record, bool refused) {
  for (DataRecord* part : record.children) part->visit_family([refused](DataRecord& one) { one.refuse(refused); });
}

bool TaskGraph::may_replace(DataRecord& record, std::span<const Block> blocks, bool covers) {
  // Workers walk the lists of the whole and of halo parts without a lock, so these lists change only while nobody uses
  // them.
  const auto has_halos = [](const DataRecord& one) { return !one.halos.empty(); };
  bool flat = covers && record.covered && (options_.device_kinds & kOnCores) != 0;
  for (const DataRecord* one = &record; flat && one != nullptr; one = one->parent) flat = !has_halos(*one);
  for (const DataRecord* part : record.children) flat = flat && part->children.empty() && !has_halos(*part);
  // A division that waits may not have its hold yet, and tasks on the new parts might come after this hold.
  if (!flat || is_to_be_divided(record) || in_use(record.dependencies, nullptr)) return false;
  std::uint64_t divisions = data_.late.divisions;
  for (const auto& overlapped : DataRegistry::find_overlapped(record, blocks)) divisions += overlapped.size();
  return divisions <= options_.late_divisions;
}

void TaskGraph::submit_division(const std::vector<DataRecord*>& former, const LastTasks& last, DataRecord& part,
                                TaskList& ready) {
  Task& task = allocate_task(&own_codelets_.divide.definition(), former.size() + 1);
  DependencyBuilder builder(task, pools_.edges, submission_caches_.edges, options_.dependency_trace);
  try {
    for (std::size_t i = 0; i < former.size(); ++i) {
      DataRecord& one = *former[i];
      set_access(task, i, one, AccessMode::read);
      builder.make_room_to_declare(one.dependencies);
      // A writer of the new part must also wait for readers of the former parts. Divisions do not wait for one another.
      for (const TaskReference& before : last.at(&one)) builder.follow(before);
      builder.declare(one.dependencies, AccessMode::read);
    }
    set_access(task, former.size(), part, AccessMode::write);
    builder.access(part.dependencies, AccessMode::write);
  } catch (...) {
    give_up(task, builder, ready);
    throw;
  }
  count_submission();
  if (builder.finish()) ready.push_back(&task);
}

DataRegistry::NewParts TaskGraph::renew_parts(DataRecord& record, std::span<const Block> blocks) {
  DataRegistry::NewParts parts = data_.registry.replace_parts(record, blocks);
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    DataRecord& part = *parts.added[i];
    part.home = record.home;
    part.poisoned.store(false, std::memory_order_relaxed);
    for (const DataRecord* one : parts.overlapped[i]) {
      if (one->poisoned.load(std::memory_order_relaxed)) poison(part, failures_.poison_of(one->handle_id()));
    }
  }
  return parts;
}

std::vector<DataRecord*> TaskGraph::replace_parts(DataRecord& record, std::span<const Block> blocks, TaskList& ready,
                                                  std::vector<std::shared_ptr<LateRelease>>& unused) {
  LastTasks last;
  for (DataRecord* part : record.children) last[part] = last_tasks(part->dependencies, AccessMode::write);
  DataRegistry::NewParts parts = renew_parts(record, blocks);
  std::unordered_map<const DataRecord*, std::uint64_t> divisions;
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    submit_division(parts.overlapped[i], last, *parts.added[i], ready);
    for (const DataRecord* part : parts.overlapped[i]) ++divisions[part];
  }
  for (DataRecord* part : parts.former) {
    const auto late = std::make_shared<LateRelease>();
    // A part without elements counts, too: it is kept until its tasks have ended.
    late->divisions = std::max<std::uint64_t>(1, divisions[part]);
    if (release_late(*part, late, ready)) unused.push_back(late);
  }
  return std::move(parts.added);
}

std::vector<DataRecord*> TaskGraph::replace_unused_parts(DataRecord& record, std::span<const Block> blocks) {
  if (record.covered) {
    // A record that its parts cover has no data of its own, so its flags are out of date.
    data_.registry.set_unwritten(record, false);
    record.poisoned.store(false, std::memory_order_relaxed);
  }
  DataRegistry::NewParts parts = renew_parts(record, blocks);
  for (DataRecord* part : parts.former) record.covered ? leave_readers(*part) : return_to_parent(*part);
  for (auto part = parts.former.rbegin(); part != parts.former.rend(); ++part) forget(**part);
  for (DataRecord* part : parts.added) part->dependencies = record.dependencies;
  return std::move(parts.added);
}

Result<void> TaskGraph::divide_at_last(DataRecord& record, std::span<const Block> blocks, std::vector<Handle>& parts) {
  // A recording may have begun meanwhile.
  if (is_being_recorded(record)) return partitioned_while_recorded(record);
  const std::vector<DataRecord*> added = replace_unused_parts(record, blocks);
  end_dividing(record.handle_id());
  refuse_new(record, added);
  parts = handles_of(added);
  return {};
}

void TaskGraph::refuse_new(const DataRecord& record, std::span<DataRecord* const> parts) {
  const auto waiting = std::ranges::count(data_.dividing, record.handle_id());
  for (DataRecord* part : parts) part->refusals = record.refusals + static_cast<std::uint32_t>(waiting);
}

bool TaskGraph::is_to_be_divided(const DataRecord& record) const {
  return std::ranges::find(data_.dividing, record.handle_id()) != data_.dividing.end();
}

void TaskGraph::end_dividing(HandleId record) {
  const auto found = std::ranges::find(data_.dividing, record);
  if (found != data_.dividing.end()) data_.dividing.erase(found);
}

Result<std::optional<std::vector<Handle>>> TaskGraph::replace_at_once(const Handle& parent,
                                                                      std::span<const Block> blocks, bool may_wait) {
  std::optional<std::vector<Handle>> parts;
  TaskList ready;
  std::vector<std::shared_ptr<LateRelease>> unused;
  {
    const LockGuard lock(submission_mutex_);
    const auto found = data_.registry.find(parent);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    if (is_being_recorded(record)) return partitioned_while_recorded(record);
    const auto covers = DataRegistry::check_parts(record, blocks, {});
    if (!covers) return covers.failure();
    if (may_replace(record, blocks, covers.value())) {
      parts = handles_of(replace_parts(record, blocks, ready, unused));
    } else if (may_wait) {
      // The caller waits until no task uses the former parts, and then replaces them. New tasks on these parts are
      // refused from here on, because their parts would be gone before they begin.
      refuse_parts(record, true);
      data_.dividing.push_back(record.handle_id());
    } else {
      return Failure{ErrorCode::wait_in_kernel,
                     describe(record) + " cannot be divided anew without a wait for the tasks that use it"};
    }
  }
  if (!ready.empty()) host_.activate(ready, WorkerId{});
  // The calls go backwards, because `end_late` searches the list of former parts from its end.
  for (auto late = unused.rbegin(); late != unused.rend(); ++late) end_late(**late);
  return parts;
}

Failure TaskGraph::keep_parts(const Handle& handle, const Failure& why) {
  const LockGuard lock(submission_mutex_);
  end_dividing(handle.id());
  if (DataRegistry::exists(handle)) refuse_parts(*handle.record(), false);
  return why;
}

Result<std::vector<Handle>> TaskGraph::repartition(const Handle& parent, std::span<const Block> blocks) {
  if (auto here = threads_.home.check(); !here) return here.failure();
  if (is_inside_nested()) {
    return Failure{ErrorCode::wait_in_kernel,
                   "data cannot be divided anew in the kernel of a nested task: call repartition in the program"};
  }
  if (recording_here() != nullptr) return waits_in_recording();
  auto at_once = replace_at_once(parent, blocks, true);
  if (!at_once) return at_once.failure();
  if (at_once.value()) return *std::move(at_once).value();
  std::vector<Handle> parts;
  const auto divide = [&](DataRecord& record, TaskList&)
                          TROUPE_REQUIRES(submission_mutex_) { return divide_at_last(record, blocks, parts); };
  if (auto outcome = change_undisturbed(parent, false, divide); !outcome) {
    return keep_parts(parent, outcome.failure());
  }
  return parts;
}

Result<BegunRepartition> TaskGraph::begin_repartition(const Handle& parent, std::span<const Block> blocks,
                                                      bool may_wait, std::function<void()> ready) {
  auto at_once = replace_at_once(parent, blocks, may_wait);
  if (!at_once) return at_once.failure();
  if (at_once.value()) return BegunRepartition{*std::move(at_once).value(), nullptr};
  auto pending = begin_change(parent, false, std::move(ready));
  if (!pending) return keep_parts(parent, pending.failure());
  pending.value()->dividing_ = true;
  return BegunRepartition{{}, std::move(pending).value()};
}

Result<std::vector<Handle>> TaskGraph::finish_repartition(PendingHold& pending, std::span<const Block> blocks) {
  pending.note_.reset();
  std::vector<Handle> parts;
  const auto divide = [&](DataRecord& record, TaskList&)
                          TROUPE_REQUIRES(submission_mutex_) { return divide_at_last(record, blocks, parts); };
  if (auto outcome = change_held(pending.hold_, pending.handle_, false, divide); !outcome) {
    return keep_parts(pending.handle_, outcome.failure());
  }
  return parts;
}

std::uint64_t TaskGraph::late_divisions() {
  const LockGuard lock(submission_mutex_);
  return data_.late.divisions;
}

}  // namespace troupe::graph
