/// The functions of the task graph that end registrations.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/here.hpp"
#include "graph/holds/late_release.hpp"
#include "graph/holds/parts.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
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

}  // namespace

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

Result<void> TaskGraph::finish_release(PendingHold& pending) {
  pending.note_.reset();
  return change_held(pending.hold_, pending.handle_, true,
                     [this](DataRecord& record, TaskList&) TROUPE_REQUIRES(state_.submission_mutex) -> Result<void> {
                       forget_data(state_, record);
                       return {};
                     });
}

Result<void> TaskGraph::bring_home_to_release(DataRecord& released) {
  if (released.is_halo) return {};
  // If the registration alone owns the memory, the memory is freed with the registration, so its content does not
  // matter.
  const bool content_matters = released.parent != nullptr || !released.owned || released.owned.use_count() > 1;
  if (content_matters) {
    const Result<void> home = state_.host.bring_home(released, AccessMode::read_write);
    if (home) return home;
    state_.failures.add(home.failure());
    if (released.parent != nullptr) {
      // When the part is forgotten, its whole becomes invalid, too (`return_poison`).
      const auto cause = std::make_shared<Failure>(home.failure());
      released.visit_tree([&](DataRecord& part) { poison(state_, part, cause); });
    }
  }
  // After this call, no thread copies from or to this memory, which the program takes back.
  return state_.host.bring_home(released, AccessMode::write);
}

bool TaskGraph::goes_with_registration(const DataRecord& record) {
  // A part lies in the memory of its whole, which stays registered.
  if (record.parent != nullptr) return false;
  // In virtual time the runtime allocates no memory, so hidden data without an address count as owned.
  return record.owned ? record.owned.use_count() == 1 : record.hidden && record.view.data == nullptr;
}

void TaskGraph::wait_for_late_releases() {
  std::uint64_t ended = state_.window.progress().ended;
  auto since = std::chrono::steady_clock::now();
  while (true) {
    {
      const LockGuard lock(state_.submission_mutex);
      if (!state_.data.late.above(state_.options.late_bytes_at_ease / 2,
                                  state_.options.late_pieces_at_ease * state_.options.workers))
        return;
      // The tasks may wait for what this thread will do, and nothing has changed since an earlier call found so.
      if (state_.data.late.is_stalled(ended)) return;
    }
    const GraphHost::Pump pumped = state_.host.pump();
    if (pumped == GraphHost::Pump::exhausted) return;
    if (pumped == GraphHost::Pump::block) std::this_thread::sleep_for(kBetweenLooks);
    const std::uint64_t ended_now = state_.window.progress().ended;
    const auto now = std::chrono::steady_clock::now();
    if (ended_now != ended) {
      ended = ended_now;
      since = now;
    } else if (now - since > kPatience) {
      const LockGuard lock(state_.submission_mutex);
      state_.data.late.note_stalled(ended);
      return;
    }
  }
}

Result<bool> TaskGraph::release_without_waiting(const Handle& handle, bool finally) {
  const bool inside = ExecutionScope::find(this) != nullptr;
  const bool may_wait = !inside && !state_.threads.holds.any_here();
  // If this thread runs the callback of a task, that task no longer uses its data.
  const Task* const here = inside ? ExecutionScope::task_here(this) : nullptr;
  const Task* const has_run = here != nullptr && in_callback(state_, *here) ? here : nullptr;
  std::shared_ptr<LateRelease> late;
  TaskList ready;
  bool unused = false;
  bool content_matters = false;
  bool many = false;
  {
    const LockGuard lock(state_.submission_mutex);
    const auto found = state_.data.registry.find(handle);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    content_matters = !goes_with_registration(record);
    if (content_matters) {
      if (!inside) return false;
      if (!finally || record.parent != nullptr) return waits_in_kernel();
      if (in_use(record, has_run)) return released_in_kernel(record);
    } else if (may_wait && state_.data.late.bytes() + late_bytes_of(record) > state_.options.late_bytes &&
               in_use(record, nullptr)) {
      return false;
    }
    late = std::make_shared<LateRelease>();
    unused = release_late(state_, record, late, ready);
    many = may_wait && !unused &&
           state_.data.late.above(state_.options.late_bytes_at_ease,
                                  state_.options.late_pieces_at_ease * state_.options.workers);
  }
  if (!ready.empty()) state_.host.activate(ready, WorkerId{});
  if (many) wait_for_late_releases();
  // If the content matters, no task uses the record, except perhaps the task that this thread runs. So the record stays
  // until the end of this call.
  if (content_matters) {
    if (auto home = bring_home_to_release(*late->record); !home) state_.failures.add(home.failure());
  }
  if (unused) end_late(state_, *late);
  return true;
}

Result<void> TaskGraph::release(const Handle& handle) { return end_registration(handle, false); }

Result<void> TaskGraph::end_registration(const Handle& handle, bool finally) {
  if (state_.threads.home.left()) return {};
  const auto released = release_without_waiting(handle, finally);
  if (!released) return released.failure();
  if (released.value()) return {};
  return change_undisturbed(
      handle, true, [this](DataRecord& record, TaskList&) TROUPE_REQUIRES(state_.submission_mutex) -> Result<void> {
        forget_data(state_, record);
        return {};
      });
}

void TaskGraph::let_go(const Handle& handle) noexcept {
  const WaitInterrupt uninterrupted;
  try {
    const Result<void> released = end_registration(handle, true);
    // `invalid_handle` means that the program has already released the handle.
    if (!released && released.failure().code != ErrorCode::invalid_handle) abandon(handle, released.failure());
  } catch (...) {
    state_.failures.add({ErrorCode::out_of_memory, "no memory was left to end the registration of handle " +
                                                       std::to_string(handle.id().value())});
  }
}

void TaskGraph::abandon(const Handle& handle, const Failure& why) {
  const auto late = std::make_shared<LateRelease>();
  TaskList ready;
  bool unused = false;
  {
    const LockGuard lock(state_.submission_mutex);
    const auto found = state_.data.registry.find(handle);
    if (!found) return;
    DataRecord& record = *found.value();
    const auto gone = std::make_shared<Failure>(
        Failure{why.code, "the memory of " + describe(record) + " is gone: its registration has ended"});
    const auto give_up_part = [&](DataRecord& part) TROUPE_REQUIRES(state_.submission_mutex) {
      part.abandoned.store(true, std::memory_order_relaxed);
      poison(state_, part, gone);
    };
    record.visit_tree([&](DataRecord& part) TROUPE_REQUIRES(state_.submission_mutex) {
      give_up_part(part);
      for (DataRecord* former : part.former) give_up_part(*former);
    });
    unused = release_late(state_, record, late, ready);
  }
  if (!ready.empty()) state_.host.activate(ready, WorkerId{});
  if (unused) end_late(state_, *late);
  const bool free = unused || wait_for_running(*late);
  {
    const LockGuard lock(state_.submission_mutex);
    if (free && !late->done) state_.data.registry.give_up_memory(*late->record);
  }
  accuse(why.code, "a registration ended: " + why.message +
                       (free ? "" : "; a task that was running on that memory may have used it since"));
}

bool TaskGraph::wait_for_running(const LateRelease& late) {
  const Task* const here = ExecutionScope::task_here(this);
  bool noted = false;
  std::this_thread::sleep_for(kBeforeLook);
  while (true) {
    bool runs = false;
    bool endless = false;
    {
      const LockGuard lock(state_.submission_mutex);
      if (!late.done) {
        for (const RunningTask& running : state_.host.running_elsewhere(*this)) {
          const Task& task = *running.task;
          if (task.ended() || !uses(task, *late.record)) continue;
          runs = true;
          // A task that runs in pieces may need this thread's help; a task whose kernel is itself in `let_go` may wait
          // for this thread.
          const bool waits = state_.data.late.waits(task);
          endless = endless || &task == here || waits || task.codelet->pieces != nullptr;
        }
      }
      if (runs && !endless && !noted && here != nullptr) {
        state_.data.late.begin_wait(here);
        noted = true;
      }
      if (!runs || endless) {
        if (noted) state_.data.late.end_wait(here);
        return !runs;
      }
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

void TaskGraph::accuse(ErrorCode code, const std::string& what) {
  const Task* const here = ExecutionScope::task_here(this);
  if (here == nullptr || in_callback(state_, *here)) {
    state_.failures.add({code, what});
    return;
  }
  const LockGuard lock(state_.submission_mutex);
  // The cast is allowed because the task belongs to this graph; the task is const only for the code that runs it.
  Task& task = const_cast<Task&>(*here);
  if (!task.extras) task.extras = std::make_unique<TaskExtras>();
  task.has_more = true;
  if (task.extras->accusation) return;
  task.extras->accusation = std::make_shared<Failure>(Failure{code, describe(task) + " failed: in its kernel " + what});
}

}  // namespace troupe::graph
