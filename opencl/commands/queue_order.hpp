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
/// events complete in the order of the queue: each event completes after all earlier events. In an out-of-order queue
/// events complete when their commands end. Thread-safe.
class QueueOrder {
 public:
  explicit QueueOrder(bool in_order) : in_order_(in_order) {}
  QueueOrder(const QueueOrder&) = delete;
  QueueOrder& operator=(const QueueOrder&) = delete;

  [[nodiscard]] bool in_order() const { return in_order_; }

  /// Adds a command at the end of the queue.
  void add(std::shared_ptr<Command> command);
  /// Records that the command has ended: with CL_COMPLETE, or with the failure. `started` is the time
  /// (`EventState::now`) at which the command began on its device, or 0 if it never began.
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
    /// The command; null if both the command and its event have ended.
    std::shared_ptr<Command> command;
    std::uint64_t started = 0;
  };

  /// Completes the events that may complete now, and removes their commands. The caller destroys the returned commands
  /// after it has released the lock.
  [[nodiscard]] std::vector<std::shared_ptr<Command>> complete(Command& command) TROUPE_REQUIRES(mutex_);

  const bool in_order_;
  mutable Mutex mutex_;
  /// The commands, beginning with the first command whose event is not complete.
  std::deque<Entry> entries_ TROUPE_GUARDED_BY(mutex_);
  /// The number of commands before the first command in `entries_`.
  std::uint64_t gone_ TROUPE_GUARDED_BY(mutex_) = 0;

  /// In an out-of-order queue, the last barrier; all later commands wait for it until it has ended. The lock of the
  /// context's order protects this member.
  std::weak_ptr<Command> barrier_;
};

}  // namespace troupe::opencl
