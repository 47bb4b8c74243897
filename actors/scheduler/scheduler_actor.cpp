#include "actors/scheduler/scheduler_actor.hpp"

namespace troupe::scheduler {

void SchedulerState::perform(const SchedulerCore::Decision& decision) {
  // First: whoever has waited for the tasks finds it reported.
  if (!decision.failure.empty()) queues->policy_failed(decision.failure);
  for (const SchedulerCore::Placed& placed : decision.placed) {
    const auto found = undecided.find(placed.task);
    graph::Task* task = found->second;
    undecided.erase(found);
    queues->push(task, placed.worker);
  }
  undecided_count_.store(undecided.size(), std::memory_order_relaxed);
}

caf::behavior scheduler_behavior(caf::event_based_actor* self, std::shared_ptr<SchedulerState> state) {
  return {
      [=](const TasksActivated&) {
        std::vector<ReadyTask> tasks;
        while (graph::Task* task = state->queues->next_activated()) {
          tasks.push_back({task->task_id(), task->codelet, task->priority});
          state->undecided.emplace(task->task_id(), task);
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
