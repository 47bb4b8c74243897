/// A command of a queue, and its state until it has ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "opencl/commands/event_state.hpp"

namespace troupe::opencl {

class CommandOrder;
class QueueOrder;
class Command;

/// Something that a command waits for: another command, or a user event. Exactly one of the two is set.
struct Awaited {
  std::shared_ptr<Command> command;
  std::shared_ptr<EventState> user_event;

  [[nodiscard]] const EventState& state() const;
};

/// A command. Its owners are the code that enqueues it and the commands that wait for it; from its submission to its
/// end the runtime owns it, too.
class Command : public std::enable_shared_from_this<Command> {
 public:
  explicit Command(std::shared_ptr<EventState> event) : event_(std::move(event)) {}
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Gives the command to the code that runs it. That code calls `QueueOrder::end` once, possibly inside this call.
  /// `awaited` are the submitted commands that must end before this command runs. The commands of a context are
  /// submitted one at a time, in their order. If this call throws, the command has failed; it must not have begun then.
  virtual void submit(const std::vector<std::shared_ptr<Command>>& awaited) = 0;

  [[nodiscard]] const std::shared_ptr<EventState>& event() const { return event_; }
  /// Returns true if the command itself is complete or has failed; its event may still wait for earlier commands of its
  /// queue.
  [[nodiscard]] bool ended() const { return outcome() <= 0; }
  /// Returns CL_COMPLETE or a failure if the command has ended; if not, a number above CL_COMPLETE.
  [[nodiscard]] int outcome() const { return outcome_.load(std::memory_order_acquire); }
  /// Returns true if a command or an event that this command waited for has failed: then this command must not run.
  /// Call this function only when all awaited commands have ended.
  [[nodiscard]] bool awaited_failure() const;

 private:
  friend class CommandOrder;
  friend class QueueOrder;

  static constexpr int kNotEnded = 1;

  const std::shared_ptr<EventState> event_;
  std::atomic<int> outcome_{kNotEnded};
  /// The number of commands that were enqueued before this command in its queue. The queue's lock protects it.
  std::uint64_t position_ = 0;

  // The lock of the context's order protects the following members. Only `dependents_` changes after the
  // submission.
  std::uint64_t number_ = 0;
  bool held_ = false;
  /// The number of unset user events and held-back commands that the command waits for. An event or command that occurs
  /// twice in the wait list counts twice.
  std::size_t holds_ = 0;
  std::vector<Awaited> awaited_;
  /// Earlier commands of the same queue that must end before this command, with or without failure.
  std::vector<std::shared_ptr<Command>> behind_;
  /// The commands that are held back because they wait for this command.
  std::vector<std::shared_ptr<Command>> dependents_;
  /// The queue in which the command was enqueued; null after its end.
  std::shared_ptr<QueueOrder> queue_;
};

inline const EventState& Awaited::state() const { return command ? *command->event() : *user_event; }

}  // namespace troupe::opencl
