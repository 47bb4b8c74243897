/// The order in which the commands of a context are submitted.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "opencl/commands/command.hpp"
#include "opencl/commands/queue_order.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Orders the commands of one context. Commands whose data conflict run in the order of their submission to the
/// runtime, while OpenCL orders commands only by events. To avoid circular waits, a command that depends on an unset
/// user event, directly or through other commands, is held back (not yet submitted); all other commands are submitted
/// at once. So a submitted command never waits for an event that the program has not set.
///
/// Thread-safe. `Command::submit` is called under the lock of this object, and never by a thread that ends a command.
class CommandOrder {
 public:
  /// Says which earlier commands of its own queue a command waits for, in addition to its wait list.
  enum class Before : std::uint8_t {
    /// The queue decides. In an out-of-order queue the command waits for no other command. In an in-order queue its
    /// event ends after the events of all earlier commands, but the command itself may run before they have ended.
    queue,
    /// The command waits for all commands that were enqueued before it, like a marker without a wait list.
    all,
    /// The command waits as with `queue`, and later commands wait for this command, like a barrier with a wait list.
    hold_later,
    /// The command waits as with `all`, and later commands wait for this command, like a barrier without a wait list.
    all_and_hold_later,
  };

  /// Puts a command at the end of its queue, and submits it or holds it back. Returns CL_SUCCESS, or the error if the
  /// command could not be submitted; the command has then ended with that error.
  int enqueue(const std::shared_ptr<Command>& command, const std::shared_ptr<QueueOrder>& queue,
              std::vector<Awaited> awaited, Before before = Before::queue);

  /// Sets a user event, and submits the commands that were held back by this event alone. Returns false if the event
  /// was already set.
  bool set(EventState& user_event, int status);

  /// Returns the number of commands that are held back.
  [[nodiscard]] std::size_t held() const;

 private:
  using Ordered = std::map<std::uint64_t, std::shared_ptr<Command>>;

  void wait_for_queue(Command& command, QueueOrder& queue, Before before) TROUPE_REQUIRES(mutex_);
  void hold(const std::shared_ptr<Command>& command, const Awaited& awaited) TROUPE_REQUIRES(mutex_);
  /// Removes one of the reasons to hold the command back.
  void let_go(const std::shared_ptr<Command>& command, Ordered& free) TROUPE_REQUIRES(mutex_);
  int submit(const std::shared_ptr<Command>& command) TROUPE_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::uint64_t last_number_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::size_t held_ TROUPE_GUARDED_BY(mutex_) = 0;
  // The map is used for look-ups only, so the order of its keys (addresses) does not matter.
  std::unordered_map<const EventState*, std::vector<std::shared_ptr<Command>>> by_user_event_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
