/// The functions of the task graph for data: handles and their blocks, reductions, data that the program holds.
#include <span>
#include <utility>
#include <vector>

#include "graph/completion.hpp"
#include "graph/data/usable.hpp"
#include "graph/here.hpp"
#include "graph/holds/changes.hpp"
#include "graph/holds/holds.hpp"
#include "graph/holds/release.hpp"
#include "graph/nesting/divisions.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/nesting/kernel_waits.hpp"
#include "graph/new_tasks.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
#include "graph/tasks/uncancellable.hpp"

namespace troupe::graph {

namespace {

/// Returns true if the data were made by the kernel that the calling thread runs, and no task uses them.
bool is_own_and_unused(GraphState& graph, const Handle& handle) TROUPE_REQUIRES(graph.submission_mutex) {
  const Task* const here = nesting_task_here(graph);
  const Domain* const domain = here != nullptr ? here->own_domain() : nullptr;
  const auto found = graph.data.registry.find(handle, domain);
  return domain != nullptr && found && found.value()->whole().home.id == domain->id &&
         !in_use(found.value()->whole(), nullptr);
}

}  // namespace

Handle TaskGraph::register_data(DataDescription description) {
  const LockGuard lock(state_.submission_mutex);
  const TaskReference home = home_of_new_data(state_);
  DataRecord& record = state_.data.registry.add(std::move(description));
  record.home = home;
  return {&record, record.handle_id()};
}

Result<Handle> TaskGraph::register_apart(DataDescription description) {
  if (auto here = state_.threads.home.check(); !here) return here.failure();
  const LockGuard lock(state_.submission_mutex);
  const TaskReference home = home_of_new_data(state_);
  const auto record = state_.data.registry.add_apart(std::move(description));
  if (!record) return record.failure();
  record.value()->home = home;
  return Handle(record.value(), record.value()->handle_id());
}

Result<std::vector<Handle>> TaskGraph::partition(const Handle& parent, std::span<const Block> blocks) {
  if (is_inside_nested(state_)) return partition_inside(state_, parent, blocks);
  std::vector<Handle> handles;
  const Change change = parts_to_add(state_, blocks, handles);
  if (auto outcome = change_undisturbed(state_, parent, false, change); !outcome) return outcome.failure();
  return handles;
}

Result<std::vector<Handle>> TaskGraph::halos(const Handle& parent, std::span<const Block> blocks, const Rim& rim) {
  if (auto here = state_.threads.home.check(); !here) return here.failure();
  const LockGuard lock(state_.submission_mutex);
  const auto record = state_.data.registry.find(parent, domain_here(state_));
  if (!record) return record.failure();
  const auto added = state_.data.registry.add_halos(*record.value(), blocks, rim);
  if (!added) return added.failure();
  return handles_of(added.value());
}

Result<void> TaskGraph::set_reduction(const Handle& handle, ReductionMethods methods) {
  if (nesting_task_here(state_) != nullptr) {
    // A kernel does not wait for tasks on its data, and new data have none. The removed reductions are declared before
    // the lock guard, as functions of a former reduction may own data of this graph.
    RemovedReductions removed;
    const LockGuard lock(state_.submission_mutex);
    if (is_own_and_unused(state_, handle)) {
      const Result<void> added = add_reduction(state_, *handle.record(), methods);
      state_.data.registry.take_removed(removed);
      return added;
    }
  }
  return change_undisturbed(state_, handle, false, reduction_to_add(state_, methods));
}

Result<Task*> TaskGraph::acquire(const Handle& handle, AccessMode mode) {
  const Uncancellable uncancellable;
  if (auto allowed = check_hold_mode(mode); !allowed) return allowed.failure();
  auto hold = nesting_task_here(state_) != nullptr ? acquire_inside(state_, handle, mode)
                                                   : acquire_outside(state_, handle, mode);
  if (hold) hold = take_hold(state_, hold.value(), mode);
  if (hold) state_.threads.holds.add(hold.value());
  return hold;
}

Result<std::vector<HandleId>> TaskGraph::data_of(const Handle& handle) {
  const LockGuard lock(state_.submission_mutex);
  const auto record = state_.data.registry.find(handle);
  if (!record) return record.failure();
  std::vector<HandleId> parts;
  record.value()->visit_data([&](const DataRecord& part) { parts.push_back(part.handle_id()); });
  return parts;
}

std::size_t TaskGraph::handles() {
  const LockGuard lock(state_.submission_mutex);
  return state_.data.registry.size();
}

Result<Layout> TaskGraph::layout_of(const Handle& handle) {
  const LockGuard lock(state_.submission_mutex);
  const auto record = state_.data.registry.find(handle, domain_here(state_));
  if (!record) return record.failure();
  return record.value()->view.layout;
}

DataView TaskGraph::view_of(const Handle& handle) { return handle.record()->view; }

Result<void> TaskGraph::discard(const Handle& handle) {
  if (auto here = state_.threads.home.check(); !here) return here;
  const Recording* const recording = recording_here(state_);
  TaskList ready;
  Task* hold = nullptr;
  bool unused = false;
  {
    const LockGuard lock(state_.submission_mutex);
    const auto found = state_.data.registry.find(handle);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    if (recording != nullptr) return discards_in_recording(record);
    if (auto allowed = check_halo(record, AccessMode::write); !allowed) return allowed;
    if (record.content.read_only) return discards_const(record);
    if (record.home.id != home_here(state_).id) return discards_declared(record);
    // If the content is discarded already, nothing is left to do. Without this line, discards in a loop would wait for
    // one another in a chain, which `end_discard` would follow recursively.
    if (DataRegistry::is_discarded(record)) return {};
    hold = &allocate_hold(state_, record, AccessMode::write);
    hold->extras->discards = true;
    hold->extras->name = "discard";
    unused = order_hold(state_, *hold, ready);
    state_.data.registry.note_discarded(record);
  }
  activate(state_, ready);
  if (unused) end_outside(state_, [&](std::size_t slot, TaskList& next) { end_discard(state_, *hold, slot, next); });
  return {};
}

void TaskGraph::release_all() {
  std::vector<Handle> wholes;
  {
    const LockGuard lock(state_.submission_mutex);
    state_.data.registry.visit_wholes([&](DataRecord& record) { wholes.emplace_back(&record, record.handle_id()); });
  }
  for (const Handle& whole : wholes) {
    // Another thread may have released the handle meanwhile.
    if (auto outcome = release(whole); !outcome && outcome.failure().code != ErrorCode::invalid_handle) {
      state_.failures.add(outcome.failure());
    }
  }
}

Result<void> TaskGraph::release(const Handle& handle) { return end_registration(state_, handle, false); }

void TaskGraph::let_go(const Handle& handle) noexcept {
  const WaitInterrupt uninterrupted;
  try {
    const Result<void> released = end_registration(state_, handle, true);
    // `invalid_handle` means that the program has already released the handle.
    if (!released && released.failure().code != ErrorCode::invalid_handle)
      abandon_data(state_, handle, released.failure());
  } catch (...) {
    state_.failures.add({ErrorCode::out_of_memory, "no memory was left to end the registration of handle " +
                                                       std::to_string(handle.id().value())});
  }
}

std::uint64_t TaskGraph::late_divisions() {
  const LockGuard lock(state_.submission_mutex);
  return state_.data.late.divisions();
}

}  // namespace troupe::graph
