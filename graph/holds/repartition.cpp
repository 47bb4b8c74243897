#include "graph/holds/repartition.hpp"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "graph/data/dependencies.hpp"
#include "graph/data/domain.hpp"
#include "graph/here.hpp"
#include "graph/holds/changes.hpp"
#include "graph/holds/parts.hpp"
#include "graph/holds/release.hpp"
#include "graph/new_tasks.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"

namespace troupe::graph {

namespace {

/// Maps each part that is replaced to the last tasks that use it.
using LastTasks = std::unordered_map<const DataRecord*, std::vector<TaskReference>>;
/// Refuses further tasks on the parts of a record, or takes one refusal back.
void refuse_parts([[maybe_unused]] const GraphState& graph, DataRecord& record, bool refused)
    TROUPE_REQUIRES(graph.submission_mutex) {
  for (DataRecord* part : record.children) part->visit_family([refused](DataRecord& one) { one.refuse(refused); });
}

/// Returns true if the record's parts may be replaced by these blocks while tasks use them. `covers`: the blocks
/// cover the record.
bool may_replace(GraphState& graph, DataRecord& record, std::span<const Block> blocks, bool covers)
    TROUPE_REQUIRES(graph.submission_mutex) {
  // Workers walk the lists of the whole and of halo parts without a lock, so these lists change only while nobody uses
  // them.
  const auto has_halos = [](const DataRecord& one) { return !one.halos.empty(); };
  bool flat = covers && record.covered && (graph.options.device_kinds & kOnCores) != 0;
  for (const DataRecord* one = &record; flat && one != nullptr; one = one->parent) flat = !has_halos(*one);
  for (const DataRecord* part : record.children) flat = flat && part->children.empty() && !has_halos(*part);
  // A division that waits may not have its hold yet, and tasks on the new parts might come after this hold.
  if (!flat || graph.data.dividing.contains(record.handle_id()) || in_use(record.dependencies, nullptr)) return false;
  std::uint64_t divisions = graph.data.late.divisions();
  for (const auto& overlapped : DataRegistry::find_overlapped(record, blocks)) divisions += overlapped.size();
  return divisions <= graph.options.late_divisions;
}

/// Submits the task after which a new part has the content of the former parts that it overlaps.
void submit_division(GraphState& graph, const std::vector<DataRecord*>& former, const LastTasks& last, DataRecord& part,
                     TaskList& ready) TROUPE_REQUIRES(graph.submission_mutex) {
  Task& task = allocate_task(graph, &graph.own_codelets.divide.definition(), former.size() + 1);
  DependencyBuilder builder(task, graph.memory.edges, graph.submission_caches.edges, graph.options.dependency_trace);
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
    give_up_task(graph, task, builder, ready);
    throw;
  }
  graph.note_submitted();
  if (builder.finish()) ready.push_back(&task);
}

/// Replaces the record's parts while tasks use them. The caller calls `end_late` for `unused`, without the lock.
std::vector<DataRecord*> replace_parts(GraphState& graph, DataRecord& record, std::span<const Block> blocks,
                                       TaskList& ready, std::vector<std::shared_ptr<LateRelease>>& unused)
    TROUPE_REQUIRES(graph.submission_mutex) {
  LastTasks last;
  for (DataRecord* part : record.children) last[part] = last_tasks(part->dependencies, AccessMode::write);
  DataRegistry::NewParts parts = renew_parts(graph, record, blocks);
  std::unordered_map<const DataRecord*, std::uint64_t> divisions;
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    submit_division(graph, parts.overlapped[i], last, *parts.added[i], ready);
    for (const DataRecord* part : parts.overlapped[i]) ++divisions[part];
  }
  for (DataRecord* part : parts.former) {
    const auto late = std::make_shared<LateRelease>();
    // A part without elements counts, too: it is kept until its tasks have ended.
    late->divisions = std::max<std::uint64_t>(1, divisions[part]);
    if (release_late(graph, *part, late, ready)) unused.push_back(late);
  }
  return std::move(parts.added);
}

}  // namespace

Result<std::vector<Handle>> repartition(GraphState& graph, const Handle& parent, std::span<const Block> blocks) {
  if (auto here = graph.threads.home.check(); !here) return here.failure();
  if (is_inside_nested(graph)) {
    return Failure{ErrorCode::wait_in_kernel,
                   "data cannot be divided anew in the kernel of a nested task: call repartition in the program"};
  }
  if (recording_here(graph) != nullptr) return waits_in_recording();
  auto at_once = replace_at_once(graph, parent, blocks, true);
  if (!at_once) return at_once.failure();
  if (at_once.value()) return *std::move(at_once).value();
  std::vector<Handle> parts;
  if (auto outcome = change_undisturbed(graph, parent, false, division_at_last(graph, blocks, parts)); !outcome) {
    return keep_parts(graph, parent, outcome.failure());
  }
  return parts;
}

Result<std::optional<std::vector<Handle>>> replace_at_once(GraphState& graph, const Handle& parent,
                                                           std::span<const Block> blocks, bool may_wait) {
  std::optional<std::vector<Handle>> parts;
  TaskList ready;
  std::vector<std::shared_ptr<LateRelease>> unused;
  {
    const LockGuard lock(graph.submission_mutex);
    const auto found = graph.data.registry.find(parent);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    if (graph.recordings.use(record)) return partitioned_while_recorded(record);
    const auto covers = DataRegistry::check_parts(record, blocks, {});
    if (!covers) return covers.failure();
    if (may_replace(graph, record, blocks, covers.value())) {
      parts = handles_of(replace_parts(graph, record, blocks, ready, unused));
    } else if (may_wait) {
      // The caller waits until no task uses the former parts, and then replaces them. New tasks on these parts are
      // refused from here on, because their parts would be gone before they begin.
      refuse_parts(graph, record, true);
      graph.data.dividing.add(record.handle_id());
    } else {
      return Failure{ErrorCode::wait_in_kernel,
                     describe(record) + " cannot be divided anew without a wait for the tasks that use it"};
    }
  }
  activate(graph, ready);
  // The calls go backwards, because `end_late` searches the list of former parts from its end.
  for (auto late = unused.rbegin(); late != unused.rend(); ++late) end_late(graph, **late);
  return parts;
}

Change division_at_last(GraphState& graph, std::span<const Block> blocks, std::vector<Handle>& parts) {
  return [&graph, blocks, &parts](DataRecord& record, TaskList& ready)
             TROUPE_REQUIRES(graph.submission_mutex) -> Result<void> {
               // Other threads may have begun a recording or a reduction meanwhile.
               if (graph.recordings.use(record)) return partitioned_while_recorded(record);
               if (record.dependencies.open_reduction) close_reduction(graph, record, ready);
               const std::vector<DataRecord*> added = replace_unused_parts(graph, record, blocks);
               graph.data.dividing.remove(record.handle_id());
               graph.data.dividing.refuse_new(record, added);
               parts = handles_of(added);
               return {};
             };
}

Failure keep_parts(GraphState& graph, const Handle& handle, const Failure& why) {
  const LockGuard lock(graph.submission_mutex);
  graph.data.dividing.remove(handle.id());
  if (DataRegistry::exists(handle)) refuse_parts(graph, *handle.record(), false);
  return why;
}

}  // namespace troupe::graph
