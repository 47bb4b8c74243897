/// The actor that starts the workers, notices when a worker's actor dies, and stops the workers.
#pragma once

#include <caf/all.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "actors/workers/peers_actor.hpp"
#include "proto/messages_actor.hpp"
#include "troupe/ids.hpp"

namespace troupe::actors {

/// The objects of the runtime that the supervisor uses. The functions are called in the supervisor's thread.
struct SupervisorSetup {
  std::size_t workers = 0;
  std::shared_ptr<workers::Peers> peers;
  std::function<caf::actor(caf::event_based_actor* supervisor, WorkerId)> spawn_worker;
  /// Starts the scheduler's actor. Empty under a local policy.
  std::function<caf::actor()> spawn_scheduler;
  /// Starts the memory manager's actor. Empty if there is only one memory node.
  std::function<caf::actor()> spawn_memory;
  std::function<void(const WorkerStarted&)> started;
  /// Called if an actor could not be started. Then no more actors are started, and `started` is not called for them.
  std::function<void(std::exception_ptr)> failed_to_start;
  /// Called when a worker's actor has died without having been told to stop. Afterwards the supervisor tries to start
  /// another actor, again and again until the system has a thread for this actor.
  std::function<void(WorkerId, const std::string& reason)> lost;
  /// Called when the scheduler's actor has died without having been told to stop, and another actor has replaced it.
  /// Rescues the tasks that waited with the dead actor.
  std::function<void(const std::string& reason)> lost_scheduler;
};

struct SupervisorState {
  explicit SupervisorState(SupervisorSetup setup) : setup(std::move(setup)), addresses(this->setup.workers) {}

  SupervisorSetup setup;
  /// The address of each worker's actor; null from the end of an actor until another actor has replaced it.
  std::vector<caf::actor_addr> addresses;
  /// The scheduler's address; null under a local policy.
  caf::actor_addr scheduler;
  /// The memory manager's address; null if there is only one memory node.
  caf::actor_addr memory;
  /// The number of workers whose actors have started and not ended.
  std::size_t alive = 0;
  bool stopping = false;
  /// True while a message of the supervisor to itself, to try again to replace dead actors, is under way.
  bool retrying = false;
};

/// Returns the behaviour, which handles `WorkerStarted`, `Stop`, down messages, and `ReplaceDead` from itself. The
/// actor ends when all workers have ended.
caf::behavior supervisor_behavior(caf::event_based_actor* self, std::shared_ptr<SupervisorState> state);

}  // namespace troupe::actors
