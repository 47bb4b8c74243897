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

/// Orders the commands of one context. The runtime orders commands that conflict by their data in the order of their
/// submission, while OpenCL orders commands only by events. To avoid circular waits, a command that depends on an unset
/// user event, directly or through other commands, is held back; all others are submitted at once. So everything that a
/// submitted command waits for ends by itself.
///
/// Thread-safe. `Command::submit` is called under the lock of this object, and never by a thread that ends a command.
class CommandOrder {
 public:
  /// Says for which earlier commands of its queue a command waits, besides those that it names.
  enum class Before : std::uint8_t {
    /// The queue decides: in an out-of-order queue the command waits for none. In an in-order queue it waits for all,
    /// but they need not have ended for the command to run.
    queue,
    /// The command waits for all commands that have been enqueued, as a marker without a list does.
    all,
    /// The queue decides, and later commands wait for this one, as for a barrier with a list.
    hold_later,
    /// Both `all` and `hold_later` hold, as for a barrier without a list.
    all_and_hold_later,
  };

  /// Puts a command at the end of its queue, and submits it or holds it back. Returns CL_SUCCESS, or the error if the
  /// command could not be submitted; the command has then ended with that error.
  int enqueue(const std::shared_ptr<Command>& command, const std::shared_ptr<QueueOrder>& queue,
              std::vector<Awaited> awaited, Before before = Before::queue);

  /// Sets a user event, and submits the commands that only it held back. Returns false if it was set before.
  bool set(EventState& user_event, int status);

  /// Returns the number of commands that are held back.
  [[nodiscard]] std::size_t held() const;

 private:
  using Ordered = std::map<std::uint64_t, std::shared_ptr<Command>>;

  void wait_for_queue(Command& command, QueueOrder& queue, Before before) TROUPE_REQUIRES(mutex_);
  void hold(const std::shared_ptr<Command>& command, const Awaited& awaited) TROUPE_REQUIRES(mutex_);
  /// Removes one reason to hold the command back.
  void let_go(const std::shared_ptr<Command>& command, Ordered& free) TROUPE_REQUIRES(mutex_);
  int submit(const std::shared_ptr<Command>& command) TROUPE_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::uint64_t last_number_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::size_t held_ TROUPE_GUARDED_BY(mutex_) = 0;
  // The table is used for look-ups only, and never walked.
  std::unordered_map<const EventState*, std::vector<std::shared_ptr<Command>>> by_user_event_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
