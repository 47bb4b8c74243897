/// Detects that a thread is about to wait for tasks that wait for data that the same thread holds.
#include <algorithm>
#include <vector>

#include "graph/data/domain.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

namespace {

/// At most this many tasks that wait for the thread are examined, or as many as the submission window has. If a task
/// beyond this number makes a wait endless, only the report about stalls (`WhyReport`) finds that.
constexpr std::size_t kMostWaiting = 65536;

/// Returns a text such as "'x' in mode read_write".
std::string what_is_held(const Task& hold) {
  const TaskAccess& access = hold.data()[0];
  return describe(*access.data()) + " in mode " + to_string(access.mode());
}

Failure waits_for_hold(const Task& task, const Task& hold) {
  return never_ends(describe(task) + " waits for data that this thread holds (acquire), " + what_is_held(hold));
}

}  // namespace

TaskGraph::WaitingForHolds TaskGraph::waiting_for(const std::vector<const Task*>& holds) const {
  // One more than the window, and the holds: then the check for room finds a window that is full of such tasks.
  const std::size_t most = std::max(kMostWaiting, state_.options.window + 1) + holds.size();
  WaitingForHolds waiting;
  std::vector<const Task*> to_visit;
  for (const Task* hold : holds) {
    waiting.emplace(hold, hold);
    to_visit.push_back(hold);
    while (!to_visit.empty() && waiting.size() < most) {
      const Task* const task = to_visit.back();
      to_visit.pop_back();
      if (task->ended()) continue;
      // None of the tasks to visit can end meanwhile, and the lock keeps their lists as they are.
      const auto add = [&](const Task& waits) {
        if (waiting.emplace(&waits, hold).second) to_visit.push_back(&waits);
      };
      visit_waiting(*task, most, add);
      // A nested task ends after its children.
      if (const Domain* const outer = task->outer_domain(); outer != nullptr && task != hold) add(outer->parent);
    }
    to_visit.clear();
  }
  return waiting;
}

Result<void> TaskGraph::check_may_wait_for_all() {
  const LockGuard lock(state_.submission_mutex);
  const Task* first = nullptr;
  const WaitingForHolds waiting = waiting_for(state_.threads.holds.here());
  for (const auto& [task, hold] : waiting) {
    // A wait for all tasks does not wait for `host` tasks.
    if (task->role == TaskRole::host) continue;
    if (first == nullptr || task->task_id() < first->task_id()) first = task;
  }
  if (first == nullptr) return {};
  return waits_for_hold(*first, *waiting.at(first));
}

const Task* TaskGraph::hold_that_fills_window(const std::vector<const Task*>& holds) const {
  const WaitingForHolds waiting = waiting_for(holds);
  std::uint64_t tasks = 0;
  for (const auto& [task, hold] : waiting) {
    if (task->role != TaskRole::host) ++tasks;
    // The tasks of a run count in the window from its submission on.
    if (task->role == TaskRole::replay) tasks += task->extras->run->recording->size();
  }
  return tasks < state_.options.window ? nullptr : waiting.begin()->second;
}

Result<void> TaskGraph::check_may_wait_for_room() {
  const std::uint64_t changed = state_.threads.holds.waits_changed();
  {
    const LockGuard lock(state_.submission_mutex);
    // None of these tasks ends before this thread goes on.
    if (const Task* const own = hold_that_fills_window(state_.threads.holds.here())) {
      return never_ends("the submission window (" + std::to_string(state_.options.window) +
                        " tasks) is full of tasks that wait for data that this thread holds (acquire), " +
                        what_is_held(*own));
    }
    if (hold_that_fills_window(state_.threads.holds.here_or_waiting_for_room()) == nullptr) return {};
  }
  // A thread that has just found room ends its wait under this lock. All others go on waiting, because the window is
  // full and stays full.
  const LockGuard lock(state_.waiting.mutex);
  if (state_.threads.holds.waits_changed() != changed || state_.window.has_room()) return {};
  return never_has_room(state_.options.window);
}

Result<void> TaskGraph::check_may_wait(const Future& future) {
  if (!state_.threads.holds.any_here()) return {};
  const LockGuard lock(state_.submission_mutex);
  if (future.task()->task_id() != future.id()) return {};
  const WaitingForHolds waiting = waiting_for(state_.threads.holds.here());
  const auto found = waiting.find(future.task());
  if (found == waiting.end()) return {};
  return waits_for_hold(*future.task(), *found->second);
}

Result<void> TaskGraph::check_may_wait(const DataRecord& record, AccessMode mode, const Domain* domain) const {
  if (!state_.threads.holds.any_here()) return {};
  const WaitingForHolds waiting = waiting_for(state_.threads.holds.here());
  Result<void> outcome;
  const auto look = [&](const TaskReference& before) {
    const auto found = waiting.find(before.task);
    if (!outcome || found == waiting.end() || before.ended()) return;
    const bool own = found->first == found->second;
    outcome = own ? never_ends("this thread holds " + what_is_held(*found->second) + " (acquire)")
                  : waits_for_hold(*found->first, *found->second);
  };
  record.visit_tree([&](const DataRecord& part) {
    // These are the tasks that `DependencyBuilder::access` would wait for.
    const DependencyState* const found = domain != nullptr ? domain->find(part) : &part.dependencies;
    if (found == nullptr) return;
    const DependencyState& state = *found;
    const bool after_readers = !state.readers.empty() && (writes(mode) || state.open_reduction);
    for (const TaskReference& before : after_readers ? state.readers : state.writers) look(before);
  });
  return outcome;
}

}  // namespace troupe::graph
