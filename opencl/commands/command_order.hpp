/// In which order the commands of a context are submitted.
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

/// Commands that conflict by their data are ordered by their submission, and OpenCL's only by events. So that this
/// never ends in a circle, a command that depends on a user event that is not set, however far, is held back; all
/// others are submitted at once. Then whatever a submitted command waits for ends by itself.
///
/// Of one context. Thread-safe; `Command::submit` is called under its lock, and never by whoever ends a command.
class CommandOrder {
 public:
  /// Which earlier commands of its queue a command waits for, besides those that it names.
  enum class Before : std::uint8_t {
    /// As its queue has it: none, or where that runs in order all, which need not have ended for it to run.
    queue,
    /// Those that have been enqueued, as a marker without a list does.
    all,
    /// As `queue`, and later ones wait for this one, as for a barrier with a list.
    hold_later,
    /// Both: a barrier without a list.
    all_and_hold_later,
  };

  /// Puts a command behind others of its queue, and submits it, or holds it back. CL_SUCCESS, or why it could not be
  /// submitted; it has ended with that then.
  int enqueue(const std::shared_ptr<Command>& command, const std::shared_ptr<QueueOrder>& queue,
              std::vector<Awaited> awaited, Before before = Before::queue);

  /// Sets a user event, and submits what was held for it alone. False: it was set before.
  bool set(EventState& user_event, int status);

  /// How many commands are held back.
  [[nodiscard]] std::size_t held() const;

 private:
  using Ordered = std::map<std::uint64_t, std::shared_ptr<Command>>;

  void wait_for_queue(Command& command, QueueOrder& queue, Before before) TROUPE_REQUIRES(mutex_);
  void hold(const std::shared_ptr<Command>& command, const Awaited& awaited) TROUPE_REQUIRES(mutex_);
  /// One of what it was held for is no reason any more.
  void let_go(const std::shared_ptr<Command>& command, Ordered& free) TROUPE_REQUIRES(mutex_);
  int submit(const std::shared_ptr<Command>& command) TROUPE_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::uint64_t last_number_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::size_t held_ TROUPE_GUARDED_BY(mutex_) = 0;
  // Looked up only.
  std::unordered_map<const EventState*, std::vector<std::shared_ptr<Command>>> by_user_event_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
