#include "actors/scheduler/scheduler_actor.hpp"

#include <algorithm>

namespace troupe::scheduler {

void SchedulerState::perform(const SchedulerCore::Decision& decision) {
  // First: whoever has waited for the tasks finds it reported.
  if (!decision.failure.empty()) queues->policy_failed(decision.failure);
  for (const SchedulerCore::Placed& placed : decision.placed) {
    const auto found = undecided.find(placed.task);
    // In this order: it is lost nowhere in between.
    queues->push(found->second, placed.worker);
    undecided.erase(found);
  }
  undecided_count_.store(undecided.size(), std::memory_order_relaxed);
}

void SchedulerState::rescue(const std::string& reason) {
  while (graph::Task* task = queues->next_activated()) undecided.emplace(task->task_id(), task);
  std::vector<ReadyTask> tasks;
  for (const auto& [id, task] : undecided) tasks.push_back({id, task->codelet, task->priority});
  std::sort(tasks.begin(), tasks.end(), [](const ReadyTask& a, const ReadyTask& b) { return a.id < b.id; });
  queues->queued(lengths);
  perform(core.abandon(tasks, lengths, "lost its scheduler, whose actor died: " + reason));
}

caf::behavior scheduler_behavior(caf::event_based_actor* self, std::shared_ptr<SchedulerState> state) {
  return {
      [=](const TasksActivated&) {
        std::vector<ReadyTask> tasks;
        while (graph::Task* task = state->queues->next_activated()) {
          state->undecided.emplace(task->task_id(), task);
          tasks.push_back({task->task_id(), task->codelet, task->priority});
        }
        state->undecided_count_.store(state->undecided.size(), std::memory_order_relaxed);
        state->queues->queued(state->lengths);
        const SchedulerCore::Decision decision = state->core.activated(tasks, state->lengths);
        state->perform(decision);
        if (decision.ask_to_decide) self->send(self, Decide{});
      },
      [=](const Decide&) {
        state->queues->queued(state->lengths);
        state->perform(state->core.decide(state->lengths));
      },
      [=](const Stop&) { self->quit(caf::exit_reason::normal); },
  };
}

}  // namespace troupe::scheduler
