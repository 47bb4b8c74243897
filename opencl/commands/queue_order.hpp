/// When the commands of one queue have ended.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "opencl/commands/command.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Commands of an in-order queue may run in any order where their data do not conflict; their events complete in the
/// order of the queue, each when all before it have. Those of an out-of-order queue complete as they end. Thread-safe.
class QueueOrder {
 public:
  explicit QueueOrder(bool in_order) : in_order_(in_order) {}
  QueueOrder(const QueueOrder&) = delete;
  QueueOrder& operator=(const QueueOrder&) = delete;

  [[nodiscard]] bool in_order() const { return in_order_; }

  /// In the order of the queue.
  void add(std::shared_ptr<Command> command);
  /// The command has ended: CL_COMPLETE, or why not. `started`: when it got its device (`EventState::now`), 0: never.
  void end(Command& command, int outcome, std::uint64_t started = 0);

  /// The last that was added, null where its event is complete.
  [[nodiscard]] std::shared_ptr<Command> last() const;
  /// Those whose events are not complete, in the order of the queue.
  [[nodiscard]] std::vector<std::shared_ptr<Command>> outstanding() const;
  /// Blocks until the events of all commands that have been added are complete.
  void finish() const;

 private:
  friend class CommandOrder;

  struct Entry {
    /// Null where it has ended, and its event with it.
    std::shared_ptr<Command> command;
    std::uint64_t started = 0;
  };

  /// Ends what can be seen to have ended, and forgets it: what is returned is to be destroyed without the lock.
  [[nodiscard]] std::vector<std::shared_ptr<Command>> complete(Command& command) TROUPE_REQUIRES(mutex_);

  const bool in_order_;
  mutable Mutex mutex_;
  /// From the first whose event is not complete.
  std::deque<Entry> entries_ TROUPE_GUARDED_BY(mutex_);
  /// How many were before those.
  std::uint64_t gone_ TROUPE_GUARDED_BY(mutex_) = 0;

  /// Of an out-of-order queue: what all later commands wait for, as long as it has not ended. Of the context's order,
  /// under its lock.
  std::weak_ptr<Command> barrier_;
};

}  // namespace troupe::opencl
