#include "actors/running/supervisor.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace troupe::actors {

namespace {

void start_worker(caf::event_based_actor* self, SupervisorState& state, WorkerId worker) {
  const caf::actor actor = state.setup.spawn_worker(self, worker);
  state.addresses[worker.index()] = actor.address();
  state.setup.peers->set(worker, actor);
  self->monitor(actor);
  self->send(actor, StartWorker{});
}

/// The time after which the supervisor tries again to start a worker for which the system had no thread.
constexpr std::chrono::milliseconds kNextTry{100};

/// Starts new actors for the workers whose actors are dead. If the system has no thread for a worker, another try
/// follows later. Meanwhile other workers steal this worker's tasks, if the policy lets them; otherwise the tasks wait.
void replace_dead(caf::event_based_actor* self, SupervisorState& state) {
  if (state.stopping) return;
  bool again = false;
  for (std::uint32_t i = 0; i < state.setup.workers; ++i) {
    if (state.addresses[i] != nullptr) continue;
    try {
      start_worker(self, state, WorkerId(i));
      ++state.alive;
    } catch (const std::exception&) {
      again = true;
    }
  }
  if (again && !std::exchange(state.retrying, true)) self->delayed_send(self, kNextTry, ReplaceDead{});
}

void start_scheduler(caf::event_based_actor* self, SupervisorState& state) {
  const caf::actor actor = state.setup.spawn_scheduler();
  state.scheduler = actor.address();
  state.setup.peers->set_scheduler(actor);
  self->monitor(actor);
}

void start_memory(caf::event_based_actor* self, SupervisorState& state) {
  const caf::actor actor = state.setup.spawn_memory();
  state.memory = actor.address();
  state.setup.peers->set_memory(actor);
  self->monitor(actor);
}

void start_all(caf::event_based_actor* self, SupervisorState& state) {
  if (state.setup.spawn_scheduler) start_scheduler(self, state);
  if (state.setup.spawn_memory) start_memory(self, state);
  for (; state.alive < state.setup.workers; ++state.alive) {
    start_worker(self, state, WorkerId(static_cast<std::uint32_t>(state.alive)));
  }
}

void stop_all(caf::event_based_actor* self, SupervisorState& state) {
  state.stopping = true;
  for (std::size_t i = 0; i < state.setup.workers; ++i) {
    state.setup.peers->send(WorkerId(static_cast<std::uint32_t>(i)), Stop{});
  }
  if (const caf::actor memory = state.setup.peers->memory()) self->send(memory, Stop{});
  if (const caf::actor scheduler = state.setup.peers->scheduler()) self->send(scheduler, Stop{});
  // If workers are alive, the supervisor ends when the last worker has ended.
  if (state.alive == 0) self->quit(caf::exit_reason::normal);
}

void on_down(caf::event_based_actor* self, SupervisorState& state, const caf::down_msg& down) {
  if (state.scheduler && down.source == state.scheduler) {
    if (state.stopping) return;
    start_scheduler(self, state);
    state.setup.lost_scheduler(to_string(down.reason));
    return;
  }
  if (state.memory && down.source == state.memory) {
    // The memory manager's state, and the requests to the memory manager, are kept outside of the actor.
    if (!state.stopping) start_memory(self, state);
    return;
  }
  const auto found = std::find(state.addresses.begin(), state.addresses.end(), down.source);
  if (found == state.addresses.end()) return;
  const WorkerId worker(static_cast<std::uint32_t>(found - state.addresses.begin()));
  *found = nullptr;
  --state.alive;
  if (!state.stopping) {
    state.setup.lost(worker, to_string(down.reason));
    replace_dead(self, state);
    // A steal request in the dead worker's mailbox is not answered any more, so all workers get an empty answer.
    for (std::size_t i = 0; i < state.setup.workers; ++i) {
      state.setup.peers->send(WorkerId(static_cast<std::uint32_t>(i)), StealReply{worker, 0});
    }
    return;
  }
  if (state.alive == 0) self->quit(caf::exit_reason::normal);
}

}  // namespace

caf::behavior supervisor_behavior(caf::event_based_actor* self, std::shared_ptr<SupervisorState> state) {
  self->set_down_handler([=](const caf::down_msg& down) { on_down(self, *state, down); });
  try {
    start_all(self, *state);
  } catch (...) {
    state->setup.failed_to_start(std::current_exception());
  }
  return {
      [=](const WorkerStarted& started) { state->setup.started(started); },
      [=](const ReplaceDead&) {
        state->retrying = false;
        replace_dead(self, *state);
      },
      [=](const Stop&) { stop_all(self, *state); },
  };
}

}  // namespace troupe::actors
