/// A command of a queue: what is enqueued, and what is known of it until it has ended.
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

/// What a command waits for: another command, or a user event; one of both.
struct Awaited {
  std::shared_ptr<Command> command;
  std::shared_ptr<EventState> user_event;

  [[nodiscard]] const EventState& state() const;
};

/// From its creation on it is owned by whoever enqueues it, and by those that wait for it; from its submission to its
/// end by the runtime, too.
class Command : public std::enable_shared_from_this<Command> {
 public:
  explicit Command(std::shared_ptr<EventState> event) : event_(std::move(event)) {}
  virtual ~Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Gives the command to whoever runs it, who calls `QueueOrder::end` once, maybe inside the call. `awaited`: commands
  /// that have been submitted and have to end before. Called in the order of submission, one command of a context at a
  /// time. What it throws is the command's failure: it must not have begun then.
  virtual void submit(const std::vector<std::shared_ptr<Command>>& awaited) = 0;

  [[nodiscard]] const std::shared_ptr<EventState>& event() const { return event_; }
  /// Complete or failed as far as it alone goes; its event may still wait for earlier commands of its queue.
  [[nodiscard]] bool ended() const { return outcome() <= 0; }
  /// CL_COMPLETE or a failure when it has ended; above before.
  [[nodiscard]] int outcome() const { return outcome_.load(std::memory_order_acquire); }
  /// Whether one of what it waited for has failed: it must not run then. Asked when all have ended.
  [[nodiscard]] bool awaited_failure() const;

 private:
  friend class CommandOrder;
  friend class QueueOrder;

  static constexpr int kNotEnded = 1;

  const std::shared_ptr<EventState> event_;
  std::atomic<int> outcome_{kNotEnded};
  /// How many were enqueued before in its queue; of that, under its lock.
  std::uint64_t position_ = 0;

  // Of the order of its context, under its lock. Not changed after the submission but for `dependents_`.
  std::uint64_t number_ = 0;
  bool held_ = false;
  /// Unset user events, and commands that are held, each as often as it is waited for.
  std::size_t holds_ = 0;
  std::vector<Awaited> awaited_;
  /// Earlier ones of its queue that have to end before, well or not.
  std::vector<std::shared_ptr<Command>> behind_;
  /// Held for this one.
  std::vector<std::shared_ptr<Command>> dependents_;
  /// Where it was enqueued; until it has ended.
  std::shared_ptr<QueueOrder> queue_;
};

inline const EventState& Awaited::state() const { return command ? *command->event() : *user_event; }

}  // namespace troupe::opencl
