/// The actor that starts the workers, notices when one dies, and stops them.
#pragma once

#include <caf/all.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "actors/workers/peers_actor.hpp"
#include "proto/ids.hpp"
#include "proto/messages_actor.hpp"

namespace troupe::actors {

/// What the supervisor needs of the runtime. The functions are called in the supervisor's thread.
struct SupervisorSetup {
  std::size_t workers = 0;
  std::shared_ptr<workers::Peers> peers;
  std::function<caf::actor(caf::event_based_actor* supervisor, WorkerId)> spawn_worker;
  /// Empty under a local policy.
  std::function<caf::actor()> spawn_scheduler;
  /// Empty where there is one memory node.
  std::function<caf::actor()> spawn_memory;
  std::function<void(const WorkerStarted&)> started;
  /// An actor could not be started. Those that were are told to stop, and no `started` follows for the others.
  std::function<void(std::exception_ptr)> failed_to_start;
  /// The worker's actor has died without having been told to stop. A replacement is started afterwards, again
  /// and again until it gets a thread.
  std::function<void(WorkerId, const std::string& reason)> lost;
  /// So has the scheduler's, and the replacement is in place. Rescues the tasks that lay with it.
  std::function<void(const std::string& reason)> lost_scheduler;
};

struct SupervisorState {
  explicit SupervisorState(SupervisorSetup setup) : setup(std::move(setup)), addresses(this->setup.workers) {}

  SupervisorSetup setup;
  /// By worker; null once the worker has ended, until it is replaced.
  std::vector<caf::actor_addr> addresses;
  /// Null under a local policy.
  caf::actor_addr scheduler;
  /// Null where there is one memory node.
  caf::actor_addr memory;
  /// Workers whose actors have started and not ended.
  std::size_t alive = 0;
  bool stopping = false;
  /// It has told itself to try again to replace those that died.
  bool retrying = false;
};

/// Hears `WorkerStarted`, `Stop`, down messages, and `ReplaceDead` from itself. Ends when all workers have ended.
caf::behavior supervisor_behavior(caf::event_based_actor* self, std::shared_ptr<SupervisorState> state);

}  // namespace troupe::actors
