/// Parts that change while tasks use them.
#include <algorithm>
#include <memory>

#include "graph/data/domain.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

bool TaskGraph::may_replace(const DataRecord& record, bool covers) {
  // Workers walk the lists of the whole and of halo parts without a lock, so these lists change only while nobody uses
  // them.
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
      // A writer of the part must also wait for those who read the former parts. Divisions do not wait for one another.
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

std::vector<DataRecord*> TaskGraph::replace_parts(DataRecord& record, std::span<const Block> blocks, TaskList& ready) {
  LastTasks last;
  for (DataRecord* part : record.children) last[part] = last_tasks(part->dependencies, AccessMode::write);
  std::vector<std::vector<DataRecord*>> overlapped;
  for (const Block& block : blocks) overlapped.push_back(DataRegistry::find_overlapped(record, block));
  data_.registry.detach_parts(record);
  // The blocks have been checked.
  std::vector<DataRecord*> parts = data_.registry.add_parts(record, blocks).value_or_throw();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    DataRecord& part = *parts[i];
    part.home = record.home;
    part.poisoned.store(false, std::memory_order_relaxed);
    const auto lacks_content = [](const DataRecord* one) { return one->unwritten; };
    const auto is_discarded = [](const DataRecord* one) { return one->discarded; };
    data_.registry.set_unwritten(part, std::ranges::any_of(overlapped[i], lacks_content));
    data_.registry.set_discarded(part, std::ranges::any_of(overlapped[i], is_discarded));
    submit_division(overlapped[i], last, part, ready);
  }
  return parts;
}

Result<std::vector<DataRecord*>> TaskGraph::divide_anew(DataRecord& record, std::span<const Block> blocks) {
  struct Content {
    bool unwritten = false;
    FailureLog::Cause poison;
  };
  std::vector<Content> contents;
  for (const Block& block : blocks) {
    Content& content = contents.emplace_back();
    for (const DataRecord* one : DataRegistry::find_overlapped(record, block)) {
      content.unwritten = content.unwritten || one->unwritten;
      if (one->poisoned.load(std::memory_order_relaxed)) content.poison = failures_.poison_of(one->handle_id());
    }
  }
  while (!record.children.empty()) forget(*record.children.back());
  const auto parts = data_.registry.add_parts(record, blocks);
  if (!parts) return parts.failure();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    DataRecord& part = *parts.value()[i];
    data_.registry.set_unwritten(part, contents[i].unwritten);
    part.poisoned.store(false, std::memory_order_relaxed);
    if (contents[i].poison != nullptr) poison(part, contents[i].poison);
    part.dependencies = record.dependencies;
    part.home = record.home;
  }
  return parts;
}

Result<std::vector<Handle>> TaskGraph::repartition(const Handle& parent, std::span<const Block> blocks) {
  if (auto here = home_.check(); !here) return here.failure();
  if (is_inside_nested()) {
    return Failure{ErrorCode::wait_in_kernel,
                   "data cannot be divided anew in the kernel of a nested task: call repartition in the program"};
  }
  std::vector<DataRecord*> parts;
  const auto handles_of = [&parts] {
    std::vector<Handle> handles;
    for (DataRecord* part : parts) handles.emplace_back(part, part->handle_id());
    return handles;
  };
  TaskList ready;
  std::vector<std::shared_ptr<LateRelease>> unused;
  {
    const LockGuard lock(submission_mutex_);
    const auto found = data_.registry.find(parent);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    const auto uses_it = [&record](const Recording* recording) { return recording->orders(record); };
    if (std::ranges::any_of(recordings_.open, uses_it)) return partitioned_while_recorded(record);
    bool covers = false;
    if (auto valid = data_.registry.check_parts(record, blocks, covers); !valid) return valid.failure();
    if (may_replace(record, covers)) {
      const std::vector<DataRecord*> former = record.children;
      parts = replace_parts(record, blocks, ready);
      for (DataRecord* part : former) {
        const auto late = std::make_shared<LateRelease>();
        if (release_late(*part, late, ready)) unused.push_back(late);
      }
    }
  }
  if (!ready.empty()) host_.activate(ready, WorkerId{});
  for (const auto& late : unused) end_late(*late);
  if (!parts.empty()) return handles_of();
  const auto divide = [&](DataRecord& record, TaskList&) TROUPE_REQUIRES(submission_mutex_) -> Result<void> {
    auto divided = divide_anew(record, blocks);
    if (!divided) return divided.failure();
    parts = std::move(divided).value();
    return {};
  };
  if (auto outcome = change_undisturbed(parent, false, divide); !outcome) return outcome.failure();
  return handles_of();
}

}  // namespace troupe::graph
