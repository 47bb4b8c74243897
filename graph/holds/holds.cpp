#include "graph/holds/holds.hpp"

#include <memory>

#include "graph/completion.hpp"
#include "graph/data/usable.hpp"
#include "graph/here.hpp"
#include "graph/holds/hold_checks.hpp"
#include "graph/holds/parts.hpp"
#include "graph/holds/waits.hpp"
#include "graph/new_tasks.hpp"
#include "graph/submission_checks.hpp"
#include "graph/tasks/calling_thread.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

namespace {

/// Ends a hold whose thread has waited for the data and may not use them.
void give_back_refused(GraphState& graph, Task& hold) {
  if (Domain* const outer = hold.outer_domain()) outer->held.fetch_sub(1, std::memory_order_relaxed);
  give_back_unused(graph, hold);
}

}  // namespace

Task& allocate_hold(GraphState& graph, DataRecord& record, AccessMode mode) {
  Task& hold = allocate_task(graph, nullptr, 1);
  hold.role = TaskRole::host;
  hold.extras = std::make_unique<TaskExtras>();
  hold.has_more = true;
  set_access(hold, 0, record, mode);
  note_name(record, hold);
  return hold;
}

bool order_hold(GraphState& graph, Task& hold, TaskList& ready) {
  DependencyBuilder builder(hold, graph.memory.edges, graph.submission_caches.edges);
  try {
    order_by_data(graph, hold, builder, ready);
  } catch (...) {
    give_up_task(graph, hold, builder, ready);
    throw;
  }
  return builder.finish();
}

Task& submit_hold(GraphState& graph, DataRecord& record, AccessMode mode, TaskWaiter& waiter, TaskList& ready,
                  bool& immediately) {
  Task& hold = allocate_hold(graph, record, mode);
  hold.extras->ready_waiter = &waiter;
  immediately = order_hold(graph, hold, ready);
  return hold;
}

void note_acquired(GraphState& graph, Task& hold, DataRecord& record, AccessMode mode) {
  if (mode == AccessMode::write && graph.data.registry.any_to_check()) {
    record.visit_data([&hold](DataRecord& part) {
      if (part.content.unwritten) hold.extras->without_content.emplace_back(&part, part.handle_id());
    });
  }
  note_written(graph.data.registry, record, mode);
}

Result<Task*> begin_hold(GraphState& graph, const Handle& handle, AccessMode mode, TaskWaiter& waiter, TaskList& ready,
                         bool& immediately) {
  const LockGuard lock(graph.submission_mutex);
  const auto record = graph.data.registry.find(handle);
  if (!record) return record.failure();
  if (auto usable = check_usable(*record.value(), mode); !usable) return usable.failure();
  if (auto ends = check_may_wait(graph, *record.value(), mode); !ends) return ends.failure();
  Task& hold = submit_hold(graph, *record.value(), mode, waiter, ready, immediately);
  note_acquired(graph, hold, *record.value(), mode);
  return &hold;
}

Result<Task*> acquire_outside(GraphState& graph, const Handle& handle, AccessMode mode) {
  if (auto allowed = check_wait(graph); !allowed) return allowed.failure();
  TaskWaiter waiter;
  TaskList ready;
  bool immediately = false;
  auto hold = begin_hold(graph, handle, mode, waiter, ready, immediately);
  if (!hold) return hold;
  auto held = wait_for_hold(graph, hold.value(), waiter, ready, immediately, WaitKind::data);
  if (!held) return held.failure();
  return hold;
}

Result<void> wait_for_hold(GraphState& graph, Task* hold, TaskWaiter& waiter, TaskList& ready, bool immediately,
                           WaitKind kind) {
  activate(graph, ready);
  Result<void> waited;
  if (!immediately) {
    const WaitingThreads::Note note(graph.threads.waiting, kind, hold->task_id());
    waited = block_until(graph, waiter, WaitInterrupt::here());
  }
  if (waited) {
    hold->extras->held_since.store(WaitingThreads::now().count(), std::memory_order_relaxed);
  } else if (hold->extras->ready_waiter.exchange(nullptr, std::memory_order_acq_rel) == nullptr) {
    // The hold has become ready meanwhile, so its last predecessor signals the waiter, and this thread ends the hold.
    // Otherwise the last predecessor will end the hold.
    waiter.wait();
    give_back_unused(graph, *hold);
  }
  return waited;
}

Result<Task*> take_hold(GraphState& graph, Task* hold, AccessMode mode) {
  if (graph.failures.any_poison()) {
    if (const auto gone = why_abandoned(graph, *hold)) {
      give_back_refused(graph, *hold);
      return *gone;
    }
  }
  if (reads(mode) && graph.failures.any_poison()) {
    if (const auto refusal = why_invalid(graph, *hold); refusal.cause) {
      graph.failures.told(refusal.origin);
      give_back_refused(graph, *hold);
      return *refusal.cause;
    }
  }
  if (auto home = graph.host.bring_home(*hold->data()[0].data(), mode); !home) {
    give_back_refused(graph, *hold);
    return home.failure();
  }
  return hold;
}

void give_back(GraphState& graph, Task* hold) {
  if (graph.threads.home.left()) return;
  graph.threads.holds.remove(hold);
  if (Domain* const outer = hold->outer_domain()) outer->held.fetch_sub(1, std::memory_order_relaxed);
  end_outside(graph, [&](std::size_t slot, TaskList& ready) {
    finish_task(graph, *hold, {TaskStatus::succeeded, nullptr, nullptr, slot, WorkerId{}}, ready);
  });
}

void give_back_unused(GraphState& graph, Task& hold) {
  end_outside(graph, [&](std::size_t slot, TaskList& ready) { end_unused(graph, hold, slot, ready); });
}

}  // namespace troupe::graph
