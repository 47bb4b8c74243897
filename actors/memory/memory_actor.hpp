/// The actor around `MemoryCore`. Runs only if there is more than one memory node.
#pragma once

#include <caf/all.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "actors/memory/memory_core.hpp"
#include "actors/memory/memory_inbox.hpp"
#include "proto/messages_actor.hpp"
#include "proto/mutex.hpp"

namespace troupe::memory {

/// The interface through which the memory manager calls the runtime. Its functions are called by the thread that
/// handles events, one thread at a time, with the lock of `MemoryState` held. So they must not call functions of
/// `MemoryState`, except `core` and `inbox`.
class MemoryHost {
 public:
  virtual ~MemoryHost() = default;
  /// Begins a copy. The end of the copy is posted to the inbox as `transfer_done` or `transfer_failed`.
  virtual void copy(const Command& transfer) = 0;
  /// Called when a request begins to wait for a copy that was started as a prefetch or an early write-back.
  virtual void hurry(TransferId transfer) = 0;
  /// Called when the working set of the request is on the node that the request named.
  virtual void acquired(RequestId request) = 0;
  /// Called if the working set of the request will never be on the node that the request named. The kind of `command`
  /// says why: `cannot_fit`, `failed`, `node_lost` or `content_lost`.
  virtual void refused(const Command& command) = 0;
  virtual void replica_changed(HandleId handle, NodeId node, ReplicaState state) = 0;
};

/// The memory manager's state. It outlives the actor: if the actor dies, its successor continues with the same state.
/// The functions may be called from any thread; a lock admits one thread at a time. Several threads handle events, and
/// the actor makes sure that no event stays in the inbox for long. Only releases that were added by `Inbox::leave` may
/// stay there, until a request waits to be admitted or some thread acquires data.
class MemoryState {
 public:
  MemoryState(MemoryOptions options, MemoryHost& host, std::unique_ptr<EvictionPolicy> policy = least_recently_used())
      : core_(std::move(options), std::move(policy)), host_(host) {}

  [[nodiscard]] MemoryInbox& inbox() { return inbox_; }
  /// Handles all events in the inbox.
  void handle_inbox();
  /// Handles all events. Returns false if another thread is handling events: then the caller has to make sure that some
  /// thread looks at the inbox again.
  [[nodiscard]] bool try_to_handle_inbox();
  /// Handles all events, and then acquires the working set of `acquire` if that is possible now
  /// (`MemoryCore::acquire_at_once`). Returns false if it is not possible now: then the caller has to post the event
  /// and wait for the answer.
  [[nodiscard]] bool acquire_at_once(const MemoryEvent& acquire) {
    return acquire_at_once(acquire, [](const MemoryCore&) {});
  }
  /// Acquires the working set like the function above. After a success, calls `granted(core)` before the core's state
  /// changes again.
  template <class Granted>
  [[nodiscard]] bool acquire_at_once(const MemoryEvent& acquire, Granted granted) {
    const LockGuard lock(mutex_);
    if (!try_to_acquire(acquire)) return false;
    granted(std::as_const(core_));
    return true;
  }
  /// Returns `query(core)` for the core's present state. Events that are still in the inbox have not changed this state
  /// yet.
  template <class Query>
  auto with_core(Query query) const {
    const LockGuard lock(mutex_);
    ++passes_;
    return query(core_);
  }
  /// Returns how often threads have worked on the core with the lock held, not counting this call.
  [[nodiscard]] std::uint64_t passes() const {
    const LockGuard lock(mutex_);
    return passes_;
  }
  /// May be called by the functions of `MemoryHost`, which run with the lock held. May also be called while no other
  /// thread uses this object. The compiler cannot check these two conditions.
  [[nodiscard]] const MemoryCore& core() const TROUPE_NO_THREAD_SAFETY_ANALYSIS { return core_; }

 private:
  void empty_inbox() TROUPE_REQUIRES(mutex_);
  /// Tells the inbox when requests begin or cease to wait for releases. Returns true if a request has just begun to
  /// wait: then the inbox has to be emptied once more, because there may be releases in it.
  [[nodiscard]] bool awaits_what_is_left() TROUPE_REQUIRES(mutex_);
  [[nodiscard]] bool try_to_acquire(const MemoryEvent& acquire) TROUPE_REQUIRES(mutex_);
  void handle(const MemoryEvent& event) TROUPE_REQUIRES(mutex_);
  void perform_all() TROUPE_REQUIRES(mutex_);
  void perform(const Command& command) TROUPE_REQUIRES(mutex_);
  /// Checks the core after each event, in builds with assertions: the handles that the event has touched, and from time
  /// to time everything. Returns true if all rules hold.
  [[nodiscard]] bool holds(const MemoryEvent& event) TROUPE_REQUIRES(mutex_);

  MemoryInbox inbox_;
  mutable Mutex mutex_;
  MemoryCore core_ TROUPE_GUARDED_BY(mutex_);
  MemoryHost& host_;
  std::vector<MemoryEvent> events_ TROUPE_GUARDED_BY(mutex_);
  std::vector<Command> commands_ TROUPE_GUARDED_BY(mutex_);
  /// The number of events until `holds` checks everything again.
  std::size_t events_left_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The value of `MemoryCore::awaits_release` that was last passed to the inbox.
  bool awaits_release_ TROUPE_GUARDED_BY(mutex_) = false;
  mutable std::uint64_t passes_ TROUPE_GUARDED_BY(mutex_) = 0;
};

/// Returns the behaviour of the memory manager's actor, which handles the messages `DataRequested` and `Stop`.
caf::behavior memory_behavior(caf::event_based_actor* self, std::shared_ptr<MemoryState> state);

}  // namespace troupe::memory
