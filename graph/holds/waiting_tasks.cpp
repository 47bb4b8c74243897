#include "graph/holds/waiting_tasks.hpp"

#include <algorithm>

#include "graph/data/domain.hpp"

namespace troupe::graph {

namespace {

/// At most this many waiting tasks are looked at, or as many as the submission window has.
constexpr std::size_t kMostWaiting = 65536;

}  // namespace

WaitingTasks waiting_for(const GraphState& graph, const std::vector<const Task*>& tasks) {
  // One more than the window, and the tasks: then the check for room finds a window that is full of such tasks.
  const std::size_t most = std::max(kMostWaiting, graph.options.window + 1) + tasks.size();
  WaitingTasks waiting;
  std::vector<const Task*> to_visit;
  for (const Task* given : tasks) {
    waiting.awaited.emplace(given, given);
    to_visit.push_back(given);
    while (!to_visit.empty() && waiting.awaited.size() < most) {
      const Task* const task = to_visit.back();
      to_visit.pop_back();
      if (task->ended()) continue;
      // None of the tasks to visit can end meanwhile, and the lock keeps their lists as they are.
      const auto add = [&](const Task& waits) {
        if (waiting.awaited.emplace(&waits, given).second) to_visit.push_back(&waits);
      };
      visit_waiting(*task, most, add);
      // A nested task ends after its children.
      if (const Domain* const outer = task->outer_domain(); outer != nullptr && task != given) add(outer->parent);
      for (const OtherWaits::Wait& wait : graph.other_waits.all()) {
        if (wait.awaited.task == task && !wait.awaited.ended()) add(*wait.waiting);
      }
    }
    waiting.complete = waiting.complete && to_visit.empty();
    to_visit.clear();
  }
  return waiting;
}

}  // namespace troupe::graph
