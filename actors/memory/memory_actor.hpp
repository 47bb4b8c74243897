/// The actor around `MemoryCore`. Runs only where there is more than one memory node.
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

/// What the memory manager needs of the runtime around it. Called by whichever thread deals with events, one at a time,
/// with the lock of `MemoryState` held: it must not call that, but for `core` and `inbox`.
class MemoryHost {
 public:
  virtual ~MemoryHost() = default;
  /// Begins a copy; its end is posted to the inbox as `transfer_done` or `transfer_failed`.
  virtual void copy(const Command& transfer) = 0;
  /// Somebody waits for a copy that was begun as one that nobody waits for.
  virtual void hurry(TransferId transfer) = 0;
  /// The working set is where it was asked for.
  virtual void acquired(RequestId request) = 0;
  /// It never will be: `command` is `cannot_fit`, `failed`, `node_lost` or `content_lost`.
  virtual void refused(const Command& command) = 0;
  virtual void replica_changed(HandleId handle, NodeId node, ReplicaState state) = 0;
};

/// Outlives the actor: another one may go on with it. Any thread may call it, one at a time gets through: the actor is
/// one of several that deal with events, and sees to it that none stays in the inbox. Only what was `Inbox::leave`d
/// there may: releases, until a request waits to be admitted or somebody acquires.
class MemoryState {
 public:
  MemoryState(MemoryOptions options, MemoryHost& host, std::unique_ptr<EvictionPolicy> policy = least_recently_used())
      : core_(std::move(options), std::move(policy)), host_(host) {}

  [[nodiscard]] MemoryInbox& inbox() { return inbox_; }
  /// Deals with all that lies in the inbox.
  void handle_inbox();
  /// The same, unless another thread is at it: then somebody has to be told that something may be left (false).
  [[nodiscard]] bool try_to_handle_inbox();
  /// The same, and then acquires what the event asks for if that can be had now (`MemoryCore::acquire_at_once`). False:
  /// it has to be posted, and waited for.
  [[nodiscard]] bool acquire_at_once(const MemoryEvent& acquire) {
    return acquire_at_once(acquire, [](const MemoryCore&) {});
  }
  /// `granted(core)` is called if it is true, while the core is as it was granted.
  template <class Granted>
  [[nodiscard]] bool acquire_at_once(const MemoryEvent& acquire, Granted granted) {
    const LockGuard lock(mutex_);
    if (!try_to_acquire(acquire)) return false;
    granted(std::as_const(core_));
    return true;
  }
  /// What `query` makes of the core as it is now. What was only left in the inbox may lie there still.
  template <class Query>
  auto with_core(Query query) const {
    const LockGuard lock(mutex_);
    ++passes_;
    return query(core_);
  }
  /// How often a thread has had the core to itself, this time not counted.
  [[nodiscard]] std::uint64_t passes() const {
    const LockGuard lock(mutex_);
    return passes_;
  }
  /// For `MemoryHost`, which is called with the lock held; else while no other thread uses this. Neither can be said to
  /// the compiler.
  [[nodiscard]] const MemoryCore& core() const TROUPE_NO_THREAD_SAFETY_ANALYSIS { return core_; }

 private:
  void empty_inbox() TROUPE_REQUIRES(mutex_);
  /// True: a request waits since just now, and the inbox has to be emptied once more.
  [[nodiscard]] bool awaits_what_is_left() TROUPE_REQUIRES(mutex_);
  [[nodiscard]] bool try_to_acquire(const MemoryEvent& acquire) TROUPE_REQUIRES(mutex_);
  void handle(const MemoryEvent& event) TROUPE_REQUIRES(mutex_);
  void perform_all() TROUPE_REQUIRES(mutex_);
  void perform(const Command& command) TROUPE_REQUIRES(mutex_);
  /// In builds with assertions, after each event: what it has touched is looked at, and everything now and then.
  [[nodiscard]] bool holds(const MemoryEvent& event) TROUPE_REQUIRES(mutex_);

  MemoryInbox inbox_;
  mutable Mutex mutex_;
  MemoryCore core_ TROUPE_GUARDED_BY(mutex_);
  MemoryHost& host_;
  std::vector<MemoryEvent> events_ TROUPE_GUARDED_BY(mutex_);
  std::vector<Command> commands_ TROUPE_GUARDED_BY(mutex_);
  /// Until everything is looked at.
  std::size_t events_left_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// What the inbox knows of `MemoryCore::awaits_release`.
  bool awaits_release_ TROUPE_GUARDED_BY(mutex_) = false;
  mutable std::uint64_t passes_ TROUPE_GUARDED_BY(mutex_) = 0;
};

/// Hears `DataRequested`, `Stop`.
caf::behavior memory_behavior(caf::event_based_actor* self, std::shared_ptr<MemoryState> state);

}  // namespace troupe::memory
