#include "graph/holds/hold_checks.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/submission_checks.hpp"

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

/// A map of the tasks that wait, directly or not, for data that the program holds. Each task is mapped to the hold
/// that it waits for.
using WaitingForHolds = std::unordered_map<const Task*, const Task*>;
WaitingForHolds waiting_for(const GraphState& graph, const std::vector<const Task*>& holds)
    TROUPE_REQUIRES(graph.submission_mutex) {
  // One more than the window, and the holds: then the check for room finds a window that is full of such tasks.
  const std::size_t most = std::max(kMostWaiting, graph.options.window + 1) + holds.size();
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

/// Returns a hold if the window is full of tasks that wait for these holds; null if it is not.
const Task* hold_that_fills_window(const GraphState& graph, const std::vector<const Task*>& holds)
    TROUPE_REQUIRES(graph.submission_mutex) {
  const WaitingForHolds waiting = waiting_for(graph, holds);
  std::uint64_t tasks = 0;
  for (const auto& [task, hold] : waiting) {
    if (task->role != TaskRole::host) ++tasks;
    // The tasks of a run count in the window from its submission on.
    if (task->role == TaskRole::replay) tasks += task->extras->run->recording->size();
  }
  return tasks < graph.options.window ? nullptr : waiting.begin()->second;
}

}  // namespace

Result<void> check_may_wait_for_all(GraphState& graph) {
  const LockGuard lock(graph.submission_mutex);
  const Task* first = nullptr;
  const WaitingForHolds waiting = waiting_for(graph, graph.threads.holds.here());
  for (const auto& [task, hold] : waiting) {
    // A wait for all tasks does not wait for `host` tasks.
    if (task->role == TaskRole::host) continue;
    if (first == nullptr || task->task_id() < first->task_id()) first = task;
  }
  if (first == nullptr) return {};
  return waits_for_hold(*first, *waiting.at(first));
}

Result<void> check_may_wait_for_room(GraphState& graph) {
  const std::uint64_t changed = graph.threads.holds.waits_changed();
  {
    const LockGuard lock(graph.submission_mutex);
    // None of these tasks ends before this thread goes on.
    if (const Task* const own = hold_that_fills_window(graph, graph.threads.holds.here())) {
      return never_ends("the submission window (" + std::to_string(graph.options.window) +
                        " tasks) is full of tasks that wait for data that this thread holds (acquire), " +
                        what_is_held(*own));
    }
    if (hold_that_fills_window(graph, graph.threads.holds.here_or_waiting_for_room()) == nullptr) return {};
  }
  // A thread that has just found room ends its wait under this lock. All others go on waiting, because the window is
  // full and stays full.
  const LockGuard lock(graph.waiting.mutex);
  if (graph.threads.holds.waits_changed() != changed || graph.window.has_room()) return {};
  return never_has_room(graph.options.window);
}

Result<void> check_may_wait(GraphState& graph, const Future& future) {
  if (!graph.threads.holds.any_here()) return {};
  const LockGuard lock(graph.submission_mutex);
  if (future.task()->task_id() != future.id()) return {};
  const WaitingForHolds waiting = waiting_for(graph, graph.threads.holds.here());
  const auto found = waiting.find(future.task());
  if (found == waiting.end()) return {};
  return waits_for_hold(*future.task(), *found->second);
}

Result<void> check_may_wait(const GraphState& graph, const DataRecord& record, AccessMode mode, const Domain* domain) {
  if (!graph.threads.holds.any_here()) return {};
  const WaitingForHolds waiting = waiting_for(graph, graph.threads.holds.here());
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
