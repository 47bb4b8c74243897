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
  for (DataRecord* part : record.children) part->visit_family([refused](DataRecord& one) { one.releasing = refused; });
}

bool TaskGraph::may_replace(const DataRecord& record, bool covers) {
  // Workers walk the `children` of the whole and of halo parts without a lock, so these lists change only while no task
  // uses them.
  const auto has_halos = [](const DataRecord& one) { return !one.halos.empty(); };
  bool flat = covers && record.covered && (options_.device_kinds & kOnCores) != 0;
  for (const DataRecord* one = &record; flat && one != nullptr; one = one->parent) flat = !has_halos(*one);
  for (const DataRecord* part : record.children) flat = flat && part->children.empty() && !has_halos(*part);
  return flat && !in_use(record.dependencies, nullptr);
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

TaskGraph::NewParts TaskGraph::renew_parts(DataRecord& record, std::span<const Block> blocks) {
  NewParts parts;
  parts.overlapped = DataRegistry::find_overlapped(record, blocks);
  parts.former = data_.registry.detach_parts(record);
  // The call cannot fail, because the blocks have been checked.
  parts.added = data_.registry.add_parts(record, blocks).value_or_throw();
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    DataRecord& part = *parts.added[i];
    part.home = record.home;
    part.poisoned.store(false, std::memory_order_relaxed);
    for (const DataRecord* one : parts.overlapped[i]) {
      if (one->poisoned.load(std::memory_order_relaxed)) poison(part, failures_.poison_of(one->handle_id()));
    }
    const auto lacks_content = [](const DataRecord* one) { return one->content.unwritten; };
    const auto is_discarded = [](const DataRecord* one) { return one->content.discarded; };
    data_.registry.set_unwritten(part, std::ranges::any_of(parts.overlapped[i], lacks_content));
    data_.registry.set_discarded(part, std::ranges::any_of(parts.overlapped[i], is_discarded));
  }
  return parts;
}

std::vector<DataRecord*> TaskGraph::replace_parts(DataRecord& record, std::span<const Block> blocks, TaskList& ready,
                                                  std::vector<std::shared_ptr<LateRelease>>& unused) {
  LastTasks last;
  for (DataRecord* part : record.children) last[part] = last_tasks(part->dependencies, AccessMode::write);
  NewParts parts = renew_parts(record, blocks);
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    submit_division(parts.overlapped[i], last, *parts.added[i], ready);
  }
  for (DataRecord* part : parts.former) {
    const auto late = std::make_shared<LateRelease>();
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
  NewParts parts = renew_parts(record, blocks);
  for (DataRecord* part : parts.former) record.covered ? leave_readers(*part) : return_to_parent(*part);
  for (auto part = parts.former.rbegin(); part != parts.former.rend(); ++part) forget(**part);
  for (DataRecord* part : parts.added) part->dependencies = record.dependencies;
  return std::move(parts.added);
}

Result<std::vector<Handle>> TaskGraph::repartition(const Handle& parent, std::span<const Block> blocks) {
  if (auto here = threads_.home.check(); !here) return here.failure();
  if (is_inside_nested()) {
    return Failure{ErrorCode::wait_in_kernel,
                   "data cannot be divided anew in the kernel of a nested task: call repartition in the program"};
  }
  if (recording_here() != nullptr) return waits_in_recording();
  std::optional<std::vector<DataRecord*>> parts;
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
    if (may_replace(record, covers.value())) {
      parts = replace_parts(record, blocks, ready, unused);
    } else {
      // Below, this thread waits until no task uses the former parts, and then replaces them. New tasks on the former
      // parts are refused from here on, because these parts would be gone before the tasks begin.
      refuse_parts(record, true);
    }
  }
  if (!ready.empty()) host_.activate(ready, WorkerId{});
  // The calls go backwards, because `end_late` searches the list of former parts from its end.
  for (auto late = unused.rbegin(); late != unused.rend(); ++late) end_late(**late);
  if (!parts) {
    const auto divide = [&](DataRecord& record, TaskList&) TROUPE_REQUIRES(submission_mutex_) -> Result<void> {
      parts = replace_unused_parts(record, blocks);
      return {};
    };
    if (auto outcome = change_undisturbed(parent, false, divide); !outcome) {
      const LockGuard lock(submission_mutex_);
      if (const auto still = data_.registry.find(parent)) refuse_parts(*still.value(), false);
      return outcome.failure();
    }
  }
  return handles_of(*parts);
}

}  // namespace troupe::graph
