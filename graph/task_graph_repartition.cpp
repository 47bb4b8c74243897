/// Parts that change while tasks use them, and parts that kernels of nested tasks make.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "graph/codelets/execution_scope.hpp"
#include "graph/data/domain.hpp"
#include "graph/data/measured_kernel.hpp"
#include "graph/here.hpp"
#include "graph/holds/late_release.hpp"
#include "graph/holds/named_parts.hpp"
#include "graph/holds/parts.hpp"
#include "graph/nesting/checks.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/nesting/rules.hpp"
#include "graph/new_tasks.hpp"
#include "graph/ordering.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

void TaskGraph::refuse_parts(DataRecord& record, bool refused) {
  for (DataRecord* part : record.children) part->visit_family([refused](DataRecord& one) { one.refuse(refused); });
}

bool TaskGraph::may_replace(DataRecord& record, std::span<const Block> blocks, bool covers) {
  // Workers walk the lists of the whole and of halo parts without a lock, so these lists change only while nobody uses
  // them.
  const auto has_halos = [](const DataRecord& one) { return !one.halos.empty(); };
  bool flat = covers && record.covered && (state_.options.device_kinds & kOnCores) != 0;
  for (const DataRecord* one = &record; flat && one != nullptr; one = one->parent) flat = !has_halos(*one);
  for (const DataRecord* part : record.children) flat = flat && part->children.empty() && !has_halos(*part);
  // A division that waits may not have its hold yet, and tasks on the new parts might come after this hold.
  if (!flat || state_.data.dividing.contains(record.handle_id()) || in_use(record.dependencies, nullptr)) return false;
  std::uint64_t divisions = state_.data.late.divisions();
  for (const auto& overlapped : DataRegistry::find_overlapped(record, blocks)) divisions += overlapped.size();
  return divisions <= state_.options.late_divisions;
}

void TaskGraph::submit_division(const std::vector<DataRecord*>& former, const LastTasks& last, DataRecord& part,
                                TaskList& ready) {
  Task& task = allocate_task(state_, &state_.own_codelets.divide.definition(), former.size() + 1);
  DependencyBuilder builder(task, state_.memory.edges, state_.submission_caches.edges, state_.options.dependency_trace);
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
    give_up_task(state_, task, builder, ready);
    throw;
  }
  state_.window.note_submitted(1);
  if (builder.finish()) ready.push_back(&task);
}

std::vector<DataRecord*> TaskGraph::replace_parts(DataRecord& record, std::span<const Block> blocks, TaskList& ready,
                                                  std::vector<std::shared_ptr<LateRelease>>& unused) {
  LastTasks last;
  for (DataRecord* part : record.children) last[part] = last_tasks(part->dependencies, AccessMode::write);
  DataRegistry::NewParts parts = renew_parts(state_, record, blocks);
  std::unordered_map<const DataRecord*, std::uint64_t> divisions;
  for (std::size_t i = 0; i < parts.added.size(); ++i) {
    submit_division(parts.overlapped[i], last, *parts.added[i], ready);
    for (const DataRecord* part : parts.overlapped[i]) ++divisions[part];
  }
  for (DataRecord* part : parts.former) {
    const auto late = std::make_shared<LateRelease>();
    // A part without elements counts, too: it is kept until its tasks have ended.
    late->divisions = std::max<std::uint64_t>(1, divisions[part]);
    if (release_late(state_, *part, late, ready)) unused.push_back(late);
  }
  return std::move(parts.added);
}

Result<void> TaskGraph::divide_at_last(DataRecord& record, std::span<const Block> blocks, std::vector<Handle>& parts,
                                       TaskList& ready) {
  // Other threads may have begun a recording or a reduction meanwhile.
  if (state_.recordings.use(record)) return partitioned_while_recorded(record);
  if (record.dependencies.open_reduction) close_reduction(state_, record, ready);
  const std::vector<DataRecord*> added = replace_unused_parts(state_, record, blocks);
  state_.data.dividing.remove(record.handle_id());
  state_.data.dividing.refuse_new(record, added);
  parts = handles_of(added);
  return {};
}

Result<std::optional<std::vector<Handle>>> TaskGraph::replace_at_once(const Handle& parent,
                                                                      std::span<const Block> blocks, bool may_wait) {
  std::optional<std::vector<Handle>> parts;
  TaskList ready;
  std::vector<std::shared_ptr<LateRelease>> unused;
  {
    const LockGuard lock(state_.submission_mutex);
    const auto found = state_.data.registry.find(parent);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    if (state_.recordings.use(record)) return partitioned_while_recorded(record);
    const auto covers = DataRegistry::check_parts(record, blocks, {});
    if (!covers) return covers.failure();
    if (may_replace(record, blocks, covers.value())) {
      parts = handles_of(replace_parts(record, blocks, ready, unused));
    } else if (may_wait) {
      // The caller waits until no task uses the former parts, and then replaces them. New tasks on these parts are
      // refused from here on, because their parts would be gone before they begin.
      refuse_parts(record, true);
      state_.data.dividing.add(record.handle_id());
    } else {
      return Failure{ErrorCode::wait_in_kernel,
                     describe(record) + " cannot be divided anew without a wait for the tasks that use it"};
    }
  }
  if (!ready.empty()) state_.host.activate(ready, WorkerId{});
  // The calls go backwards, because `end_late` searches the list of former parts from its end.
  for (auto late = unused.rbegin(); late != unused.rend(); ++late) end_late(state_, **late);
  return parts;
}

Failure TaskGraph::keep_parts(const Handle& handle, const Failure& why) {
  const LockGuard lock(state_.submission_mutex);
  state_.data.dividing.remove(handle.id());
  if (DataRegistry::exists(handle)) refuse_parts(*handle.record(), false);
  return why;
}

Result<std::vector<Handle>> TaskGraph::repartition(const Handle& parent, std::span<const Block> blocks) {
  if (auto here = state_.threads.home.check(); !here) return here.failure();
  if (is_inside_nested(state_)) {
    return Failure{ErrorCode::wait_in_kernel,
                   "data cannot be divided anew in the kernel of a nested task: call repartition in the program"};
  }
  if (recording_here(state_) != nullptr) return waits_in_recording();
  auto at_once = replace_at_once(parent, blocks, true);
  if (!at_once) return at_once.failure();
  if (at_once.value()) return *std::move(at_once).value();
  std::vector<Handle> parts;
  const auto divide = [&](DataRecord& record, TaskList& activated) TROUPE_REQUIRES(state_.submission_mutex) {
    return divide_at_last(record, blocks, parts, activated);
  };
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
  const auto divide = [&](DataRecord& record, TaskList& activated) TROUPE_REQUIRES(state_.submission_mutex) {
    return divide_at_last(record, blocks, parts, activated);
  };
  if (auto outcome = change_held(pending.hold_, pending.handle_, false, divide); !outcome) {
    return keep_parts(pending.handle_, outcome.failure());
  }
  return parts;
}

std::uint64_t TaskGraph::late_divisions() {
  const LockGuard lock(state_.submission_mutex);
  return state_.data.late.divisions();
}

}  // namespace troupe::graph
