#include "graph/holds/parts.hpp"

#include <algorithm>
#include <utility>

#include "graph/data/domain.hpp"
#include "graph/new_tasks.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

namespace {

/// Adds the tasks that still read the part to the readers of its parent, before the part is released: tasks on halo
/// parts may still be submitted after the release has begun.
void leave_readers(const DataRecord& part) {
  std::vector<TaskReference>& left = part.parent->dependencies.readers;
  part.visit_tree([&left](const DataRecord& record) {
    for (const TaskReference& reader : record.dependencies.readers) {
      const auto same = [&](const TaskReference& other) { return other.task == reader.task && other.id == reader.id; };
      if (!reader.ended() && std::ranges::none_of(left, same)) left.push_back(reader);
    }
  });
}

}  // namespace

void note_name(DataRecord& data, Task& task) {
  DataRecord& part = data.is_halo ? *data.parent : data;
  if (part.made.in.id == 0) return;
  // The children of the nested task that has made the part end before the parts may be replaced.
  const Domain* const outer = task.outer_domain();
  if (outer != nullptr && &outer->parent == part.made.in.task && outer->id == part.made.in.id) return;
  std::vector<TaskReference>& named_by = part.made.named_by;
  if (named_by.size() == named_by.capacity()) std::erase_if(named_by, &TaskReference::ended);
  named_by.push_back({&task, task.task_id().value()});
}

void note_names(Task& task) {
  for (const TaskAccess& access : task.data()) note_name(*access.data(), task);
  if (const Domain* const own = task.own_domain()) {
    for (const TaskAccess& access : own->weak) note_name(*access.data(), task);
  }
}

Result<void> check_names(const DataRecord& record) {
  Result<void> outcome;
  record.visit_tree([&](const DataRecord& part) {
    const auto named = std::ranges::find_if_not(part.made.named_by, &TaskReference::ended);
    if (&part == &record || named == part.made.named_by.end()) return;
    outcome = Failure{ErrorCode::overlapping_handles,
                      describe(record) + " cannot be divided anew, because " + describe(*named->task) + " uses " +
                          describe(part) +
                          ", which an earlier nested task has made: use such parts before the next "
                          "nested task that divides these data"};
  });
  return outcome;
}

Result<void> add_parts(GraphState& graph, DataRecord& record, std::span<const Block> blocks,
                       std::vector<Handle>& handles, TaskList& ready) {
  auto parts = graph.data.registry.add_parts(record, blocks);
  if (!parts) return parts.failure();
  // Tasks that were submitted during the wait use the whole, and so they use the new parts, too.
  if (record.dependencies.open_reduction) close_reduction(graph, record, ready);
  const bool poisoned = record.poisoned.load(std::memory_order_relaxed);
  for (DataRecord* part : parts.value()) {
    part->dependencies = record.dependencies;
    part->home = record.home;
    if (poisoned) graph.failures.poison(part->handle_id(), graph.failures.poison_of(record.handle_id()));
    handles.emplace_back(part, part->handle_id());
  }
  graph.data.dividing.refuse_new(record, parts.value());
  return {};
}

DataRegistry::NewParts renew_parts(GraphState& graph, DataRecord& record, std::span<const Block> blocks) {
  DataRegistry::NewParts parts = graph.data.registry.replace_parts(record, blocks);
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    DataRecord& part = *parts.added[i];
    part.home = record.home;
    part.poisoned.store(false, std::memory_order_relaxed);
    for (const DataRecord* one : parts.overlapped[i]) {
      if (one->poisoned.load(std::memory_order_relaxed))
        poison(graph, part, graph.failures.poison_of(one->handle_id()));
    }
  }
  return parts;
}

std::vector<DataRecord*> replace_unused_parts(GraphState& graph, DataRecord& record, std::span<const Block> blocks) {
  DataRegistry::NewParts parts = renew_parts(graph, record, blocks);
  if (!parts.keeps_rest && record.poisoned.load(std::memory_order_relaxed)) {
    record.poisoned.store(false, std::memory_order_relaxed);
    graph.failures.cure(record.handle_id());
  }
  for (const DataRecord* part : parts.former) leave_readers(*part);
  for (const DataRecord* part : parts.returned) return_poison(graph, *part);
  for (auto part = parts.former.rbegin(); part != parts.former.rend(); ++part) forget_data(graph, **part);
  for (DataRecord* part : parts.added) part->dependencies = record.dependencies;
  return std::move(parts.added);
}

void forget_data(GraphState& graph, DataRecord& record) {
  if (!record.is_halo && !record.is_former && record.parent != nullptr) {
    leave_readers(record);
    graph.data.registry.return_marks(record);
    return_poison(graph, record);
  }
  record.visit_family([&graph](DataRecord& part) {
    graph.failures.cure(part.handle_id());
    graph.host.forget(part);
  });
  graph.data.registry.remove(record);
}

}  // namespace troupe::graph
