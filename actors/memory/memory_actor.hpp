/// The actor around `MemoryCore`. Runs only where there is more than one memory node.
#pragma once

#include <caf/all.hpp>
#include <memory>
#include <vector>

#include "actors/memory/memory_core.hpp"
#include "actors/memory/memory_inbox.hpp"
#include "proto/messages_actor.hpp"

namespace troupe::memory {

/// What the memory manager needs of the runtime around it. Called in the actor's thread.
class MemoryHost {
 public:
  virtual ~MemoryHost() = default;
  /// Begins a copy; its end is posted to the inbox as `transfer_done` or `transfer_failed`.
  virtual void copy(const Command& transfer) = 0;
  /// Somebody waits for a copy that was begun as one that nobody waits for.
  virtual void hurry(TransferId transfer) = 0;
  /// The working set is where it was asked for.
  virtual void acquired(RequestId request) = 0;
  /// It never will be: `command` is `cannot_fit` or `failed`.
  virtual void refused(const Command& command) = 0;
  virtual void replica_changed(HandleId handle, NodeId node, ReplicaState state) = 0;
};

/// Outlives the actor: another one may go on with it.
class MemoryState {
 public:
  MemoryState(MemoryOptions options, MemoryHost& host) : core_(std::move(options)), host_(host) {}

  [[nodiscard]] MemoryInbox& inbox() { return inbox_; }
  /// Deals with all that lies in the inbox. By the actor.
  void handle_inbox();
  /// In the actor's thread, or while no actor runs.
  [[nodiscard]] const MemoryCore& core() const { return core_; }

 private:
  void handle(const MemoryEvent& event);
  void perform(const Command& command);

  MemoryInbox inbox_;
  MemoryCore core_;
  MemoryHost& host_;
  std::vector<MemoryEvent> events_;
  std::vector<Command> commands_;
};

/// Hears `DataRequested`, `Stop`.
caf::behavior memory_behavior(caf::event_based_actor* self, std::shared_ptr<MemoryState> state);

}  // namespace troupe::memory
