/// The order in which the commands of one queue end.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "opencl/commands/command.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// The commands of a queue. In an in-order queue commands may run in any order if their data do not conflict, but their
/// events complete in the order of the queue: each when all earlier ones have completed. In an out-of-order queue
/// events complete when their commands end. Thread-safe.
class QueueOrder {
 public:
  explicit QueueOrder(bool in_order) : in_order_(in_order) {}
  QueueOrder(const QueueOrder&) = delete;
  QueueOrder& operator=(const QueueOrder&) = delete;

  [[nodiscard]] bool in_order() const { return in_order_; }

  /// Adds a command at the end of the queue.
  void add(std::shared_ptr<Command> command);
  /// Notes that the command has ended: with CL_COMPLETE, or with the failure. `started` is the time at which it got its
  /// device (`EventState::now`), or 0 if it never got one.
  void end(Command& command, int outcome, std::uint64_t started = 0);

  /// Returns the last command that was added; null if its event is complete.
  [[nodiscard]] std::shared_ptr<Command> last() const;
  /// Returns the commands whose events are not complete, in the order of the queue.
  [[nodiscard]] std::vector<std::shared_ptr<Command>> outstanding() const;
  /// Blocks until the events of all commands that have been added are complete.
  void finish() const;

 private:
  friend class CommandOrder;

  struct Entry {
    /// The command; null if it and its event have ended.
    std::shared_ptr<Command> command;
    std::uint64_t started = 0;
  };

  /// Completes the events that may complete now, and forgets their commands. The caller destroys the returned commands
  /// without the lock.
  [[nodiscard]] std::vector<std::shared_ptr<Command>> complete(Command& command) TROUPE_REQUIRES(mutex_);

  const bool in_order_;
  mutable Mutex mutex_;
  /// The commands from the first one whose event is not complete.
  std::deque<Entry> entries_ TROUPE_GUARDED_BY(mutex_);
  /// The number of commands before the first one in `entries_`.
  std::uint64_t gone_ TROUPE_GUARDED_BY(mutex_) = 0;

  /// In an out-of-order queue, the barrier that all later commands wait for, as long as it has not ended. The lock of
  /// the context's order protects it.
  std::weak_ptr<Command> barrier_;
};

}  // namespace troupe::opencl
