#include "graph/holds/release.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "graph/codelets/execution_scope.hpp"
#include "graph/data/dependencies.hpp"
#include "graph/here.hpp"
#include "graph/holds/changes.hpp"
#include "graph/holds/holds.hpp"
#include "graph/holds/parts.hpp"
#include "graph/new_tasks.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
#include "graph/tasks/task_waiter.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

namespace {

/// The wait before the first look at the running tasks. A worker needs less time between its last check of a task's
/// data and its report that it runs the task.
constexpr auto kBeforeLook = std::chrono::microseconds(200);
constexpr auto kBetweenLooks = std::chrono::microseconds(100);
/// A release goes on if no task has ended for this long, because the tasks might wait for the releasing thread.
constexpr auto kPatience = std::chrono::milliseconds(20);

/// Returns true if the task uses `whole` or a part of it. The task has not ended, or has ended a moment ago.
bool uses(const Task& task, const DataRecord& whole) {
  return std::ranges::any_of(task.data(),
                             [&whole](const TaskAccess& access) { return &access.data()->whole() == &whole; });
}

Failure released_in_kernel(const DataRecord& record) {
  return {
      ErrorCode::wait_in_kernel,
      describe(record) +
          " is memory of the program that tasks still use, and a kernel or callback that waited for them might never "
          "end: register it where its tasks are waited for, or use memory of the runtime (allocate_…), which is "
          "released after its last use"};
}

/// Returns true if the registration alone owns the memory, or if there is no memory.
bool goes_with_registration(const DataRecord& record) {
  // A part lies in the memory of its whole, which stays registered.
  if (record.parent != nullptr) return false;
  // In virtual time the runtime allocates no memory, so hidden data without an address count as owned.
  return record.owned ? record.owned.use_count() == 1 : record.hidden && record.view.data == nullptr;
}

/// Waits until half of the late releases have ended, as long as tasks end (`GraphOptions::late_bytes_at_ease`).
void wait_for_late_releases(GraphState& graph) TROUPE_EXCLUDES(graph.submission_mutex) {
  std::uint64_t ended = graph.window.progress().ended;
  auto since = std::chrono::steady_clock::now();
  while (true) {
    {
      const LockGuard lock(graph.submission_mutex);
      if (!graph.data.late.above(graph.options.late_bytes_at_ease / 2,
                                 graph.options.late_pieces_at_ease * graph.options.workers))
        return;
      // The tasks may wait for what this thread will do, and nothing has changed since an earlier call found so.
      if (graph.data.late.is_stalled(ended)) return;
    }
    const GraphHost::Pump pumped = graph.host.pump();
    if (pumped == GraphHost::Pump::exhausted) return;
    if (pumped == GraphHost::Pump::block) std::this_thread::sleep_for(kBetweenLooks);
    const std::uint64_t ended_now = graph.window.progress().ended;
    const auto now = std::chrono::steady_clock::now();
    if (ended_now != ended) {
      ended = ended_now;
      since = now;
    } else if (now - since > kPatience) {
      const LockGuard lock(graph.submission_mutex);
      graph.data.late.note_stalled(ended);
      return;
    }
  }
}

/// Does the work of `end_registration` if no wait is needed. Returns false if a wait is needed.
Result<bool> release_without_waiting(GraphState& graph, const Handle& handle, bool finally) {
  const bool inside = ExecutionScope::find(&graph.self) != nullptr;
  const bool may_wait = !inside && !graph.threads.holds.any_here();
  // If this thread runs the callback of a task, that task no longer uses its data.
  const Task* const here = inside ? ExecutionScope::task_here(&graph.self) : nullptr;
  const Task* const has_run = here != nullptr && in_callback(graph, *here) ? here : nullptr;
  std::shared_ptr<LateRelease> late;
  TaskList ready;
  bool unused = false;
  bool content_matters = false;
  bool many = false;
  {
    const LockGuard lock(graph.submission_mutex);
    const auto found = graph.data.registry.find(handle);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    content_matters = !goes_with_registration(record);
    if (content_matters) {
      if (!inside) return false;
      if (!finally || record.parent != nullptr) return waits_in_kernel();
      if (in_use(record, has_run)) return released_in_kernel(record);
    } else if (may_wait && graph.data.late.bytes() + late_bytes_of(record) > graph.options.late_bytes &&
               in_use(record, nullptr)) {
      return false;
    }
    late = std::make_shared<LateRelease>();
    unused = release_late(graph, record, late, ready);
    many = may_wait && !unused &&
           graph.data.late.above(graph.options.late_bytes_at_ease,
                                 graph.options.late_pieces_at_ease * graph.options.workers);
  }
  activate(graph, ready);
  if (many) wait_for_late_releases(graph);
  // If the content matters, no task uses the record, except perhaps the task that this thread runs. So the record stays
  // until the end of this call.
  if (content_matters) {
    if (auto home = bring_home_to_release(graph, *late->record); !home) graph.failures.add(home.failure());
  }
  if (unused) end_late(graph, *late);
  return true;
}

/// Waits until no task that uses the data runs on another thread. Returns false if some of these tasks might never
/// end.
bool wait_for_running(GraphState& graph, const LateRelease& late) TROUPE_EXCLUDES(graph.submission_mutex) {
  const Task* const here = ExecutionScope::task_here(&graph.self);
  bool noted = false;
  std::this_thread::sleep_for(kBeforeLook);
  while (true) {
    bool runs = false;
    bool endless = false;
    {
      const LockGuard lock(graph.submission_mutex);
      if (!late.done) {
        for (const RunningTask& running : graph.host.running_elsewhere(graph.self)) {
          const Task& task = *running.task;
          if (task.ended() || !uses(task, *late.record)) continue;
          runs = true;
          // A task that runs in pieces may need this thread's help; a task whose kernel is itself in `let_go` may wait
          // for this thread.
          const bool waits = graph.data.late.waits(task);
          endless = endless || &task == here || waits || task.codelet->pieces != nullptr;
        }
      }
      if (runs && !endless && !noted && here != nullptr) {
        graph.data.late.begin_wait(here);
        noted = true;
      }
      if (!runs || endless) {
        if (noted) graph.data.late.end_wait(here);
        return !runs;
      }
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

/// Makes the task fail whose kernel this thread runs. In callbacks and outside of tasks, the next wait for everything
/// reports the failure.
void accuse(GraphState& graph, ErrorCode code, const std::string& what) TROUPE_EXCLUDES(graph.submission_mutex) {
  const Task* const here = ExecutionScope::task_here(&graph.self);
  if (here == nullptr || in_callback(graph, *here)) {
    graph.failures.add({code, what});
    return;
  }
  const LockGuard lock(graph.submission_mutex);
  // The cast is allowed because the task belongs to this graph; the task is const only for the code that runs it.
  Task& task = const_cast<Task&>(*here);
  if (!task.extras) task.extras = std::make_unique<TaskExtras>();
  task.has_more = true;
  if (task.extras->accusation) return;
  task.extras->accusation = std::make_shared<Failure>(Failure{code, describe(task) + " failed: in its kernel " + what});
}

}  // namespace

bool release_late(GraphState& graph, DataRecord& record, const std::shared_ptr<LateRelease>& late, TaskList& ready) {
  Task& hold = allocate_hold(graph, record, AccessMode::read_write);
  hold.extras->own_waiter = std::make_unique<TaskWaiter>([&graph, late] { end_late(graph, *late); });
  hold.extras->ready_waiter = hold.extras->own_waiter.get();
  late->hold = &hold;
  late->record = &record;
  late->bytes = late_bytes_of(record);
  const bool unused = order_hold(graph, hold, ready);
  record.visit_family([](DataRecord& part) { part.refuse(true); });
  graph.data.late.add(*late);
  return unused;
}

void end_late(GraphState& graph, LateRelease& late) noexcept {
  // These are declared before the lock guard, so they are destroyed after the lock is released: freeing megabytes takes
  // long, and the functions of a reduction may own data of this graph.
  std::shared_ptr<void> memory;
  RemovedReductions removed;
  const LockGuard lock(graph.submission_mutex);
  memory = late.record->owned;
  graph.data.late.remove(late);
  forget_data(graph, *late.record);
  graph.data.registry.take_removed(removed);
  Task& hold = *late.hold;
  hold.status.store(TaskStatus::succeeded, std::memory_order_release);
  // No task can wait for the hold, because tasks on its data were refused from its submission on.
  hold.successors.store(Task::closed(), std::memory_order_release);
  graph.memory.free_more(hold, graph.submission_caches);
  graph.memory.tasks.free(graph.submission_caches.tasks, &hold);
  late.done = true;
  // This thread may have the lock of `end_outside`, which a function of a reduction would take again.
  RemovedUnderLock::take(removed);
}

Result<void> end_registration(GraphState& graph, const Handle& handle, bool finally) {
  if (graph.threads.home.left()) return {};
  const auto released = release_without_waiting(graph, handle, finally);
  if (!released) return released.failure();
  if (released.value()) return {};
  return change_undisturbed(graph, handle, true,
                            [&graph](DataRecord& record, TaskList&)
                                TROUPE_REQUIRES(graph.submission_mutex) -> Result<void> {
                                  forget_data(graph, record);
                                  return {};
                                });
}

void abandon_data(GraphState& graph, const Handle& handle, const Failure& why) {
  const auto late = std::make_shared<LateRelease>();
  TaskList ready;
  bool unused = false;
  {
    const LockGuard lock(graph.submission_mutex);
    const auto found = graph.data.registry.find(handle);
    if (!found) return;
    DataRecord& record = *found.value();
    const auto gone = std::make_shared<Failure>(
        Failure{why.code, "the memory of " + describe(record) + " is gone: its registration has ended"});
    const auto give_up_part = [&](DataRecord& part) TROUPE_REQUIRES(graph.submission_mutex) {
      part.abandoned.store(true, std::memory_order_relaxed);
      poison(graph, part, gone);
    };
    record.visit_tree([&](DataRecord& part) TROUPE_REQUIRES(graph.submission_mutex) {
      give_up_part(part);
      for (DataRecord* former : part.former) give_up_part(*former);
    });
    unused = release_late(graph, record, late, ready);
  }
  activate(graph, ready);
  if (unused) end_late(graph, *late);
  const bool free = unused || wait_for_running(graph, *late);
  {
    const LockGuard lock(graph.submission_mutex);
    if (free && !late->done) graph.data.registry.give_up_memory(*late->record);
  }
  accuse(graph, why.code,
         "a registration ended: " + why.message +
             (free ? "" : "; a task that was running on that memory may have used it since"));
}

}  // namespace troupe::graph
