#include "graph/holds/changes.hpp"

#include <memory>
#include <utility>

#include "graph/data/reduction.hpp"
#include "graph/data/usable.hpp"
#include "graph/here.hpp"
#include "graph/holds/hold_checks.hpp"
#include "graph/holds/holds.hpp"
#include "graph/holds/parts.hpp"
#include "graph/new_tasks.hpp"
#include "graph/recording/rebinding.hpp"
#include "graph/submission_checks.hpp"
#include "graph/tasks/uncancellable.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

Result<void> change_undisturbed(GraphState& graph, const Handle& handle, bool releasing, const Change& change) {
  const Uncancellable uncancellable;
  // A registration may end while its thread is recording: later runs of the recording then fail because the data are
  // gone.
  if (auto allowed = releasing ? check_outside_kernel(graph) : check_wait(graph); !allowed) return allowed;
  TaskWaiter waiter;
  TaskList ready;
  bool immediately = false;
  const Result<Task*> hold = hold_whole(graph, handle, releasing, waiter, ready, immediately);
  if (!hold) return hold.failure();
  const WaitKind kind = releasing ? WaitKind::release : WaitKind::change;
  if (auto held = wait_for_hold(graph, hold.value(), waiter, ready, immediately, kind); !held) {
    const LockGuard lock(graph.submission_mutex);
    if (releasing) announce_release(graph, handle, false);
    return held;
  }
  return change_held(graph, hold.value(), handle, releasing, change);
}

Result<Task*> hold_whole(GraphState& graph, const Handle& handle, bool releasing, TaskWaiter& waiter, TaskList& ready,
                         bool& immediately) {
  const LockGuard lock(graph.submission_mutex);
  const auto record = graph.data.registry.find(handle);
  if (!record) return record.failure();
  const DataRecord* const parent = record.value()->parent;
  if (releasing && parent != nullptr && !parent->halos.empty() && graph.recordings.use(*record.value())) {
    return partitioned_while_recorded(*record.value());
  }
  DataRecord& root = record.value()->whole();
  if (auto ends = check_may_wait(graph, root, AccessMode::read_write); !ends) return ends.failure();
  Task* const hold = &submit_hold(graph, root, AccessMode::read_write, waiter, ready, immediately);
  // The hold is of the whole, but the part itself must stay until it can be changed.
  note_name(*record.value(), *hold);
  if (releasing) announce_release(graph, handle, true);
  return hold;
}

Result<void> change_held(GraphState& graph, Task* hold, const Handle& handle, bool releasing, const Change& change) {
  Result<DataRecord*> record(handle.record());
  if (!releasing || !DataRegistry::exists(handle)) {
    // Another thread may have released the handle during the wait. From here on no thread can release it, because this
    // thread holds the whole.
    const LockGuard lock(graph.submission_mutex);
    record = graph.data.registry.find(handle);
  }
  Result<void> outcome;
  if (!record) {
    outcome = record.failure();
  } else if (releasing) {
    outcome = bring_home_to_release(graph, *record.value());
  } else {
    outcome = graph.host.bring_home(*record.value(), AccessMode::read_write);
  }
  TaskList closed;
  RemovedReductions removed;
  try {
    const LockGuard lock(graph.submission_mutex);
    if (outcome) {
      outcome = change(*record.value(), closed);
    } else if (releasing) {
      announce_release(graph, handle, false);
    }
    graph.data.registry.take_removed(removed);
  } catch (...) {
    // There was no memory for the change.
    give_back(graph, hold);
    throw;
  }
  activate(graph, closed);
  give_back(graph, hold);
  return outcome;
}

void announce_release(GraphState& /*graph*/, const Handle& handle, bool releasing) {
  // Another thread may have released the handle.
  if (!DataRegistry::exists(handle)) return;
  handle.record()->visit_family([releasing](DataRecord& part) { part.refuse(releasing); });
}

Result<void> bring_home_to_release(GraphState& graph, DataRecord& released) {
  if (released.is_halo) return {};
  // If the registration alone owns the memory, the memory is freed with the registration, so its content does not
  // matter.
  const bool content_matters = released.parent != nullptr || !released.owned || released.owned.use_count() > 1;
  if (content_matters) {
    const Result<void> home = graph.host.bring_home(released, AccessMode::read_write);
    if (home) return home;
    graph.failures.add(home.failure());
    if (released.parent != nullptr) {
      // When the part is forgotten, its whole becomes invalid, too (`return_poison`).
      const auto cause = std::make_shared<Failure>(home.failure());
      released.visit_tree([&](DataRecord& part) { poison(graph, part, cause); });
    }
  }
  // After this call, no thread copies from or to this memory, which the program takes back.
  return graph.host.bring_home(released, AccessMode::write);
}

Change parts_to_add(GraphState& graph, std::span<const Block> blocks, std::vector<Handle>& handles) {
  return [&graph, blocks, &handles](DataRecord& record, TaskList& ready)
             TROUPE_REQUIRES(graph.submission_mutex) -> Result<void> {
               if (graph.recordings.use(record)) return partitioned_while_recorded(record);
               return add_parts(graph, record, blocks, handles, ready);
             };
}

Change reduction_to_add(GraphState& graph, ReductionMethods& methods) {
  return [&graph, &methods](DataRecord& record, TaskList&)
             TROUPE_REQUIRES(graph.submission_mutex) { return add_reduction(graph, record, methods); };
}

Result<void> add_reduction(GraphState& graph, DataRecord& record, ReductionMethods& methods) {
  if (auto complete = check_methods(methods, record); !complete) return complete;
  if (auto allowed = check_writable(record, AccessMode::reduce); !allowed) return allowed;
  auto reduction = std::make_unique<Reduction>(std::move(methods), graph.options.workers);
  graph.data.registry.keep_removed(std::exchange(record.reduction, std::move(reduction)));
  return {};
}

}  // namespace troupe::graph
