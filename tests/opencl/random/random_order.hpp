/// The known order of a random program's commands, derived from its events, queues and waits alone.
#pragma once

#include <cstddef>
#include <vector>

namespace troupe::tests {

/// The bytes that a command uses.
struct RandomUse {
  /// The number of a buffer or of a host block.
  int space = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool writes = false;
  /// The words that are used: 0 for all of them; 1 or 2 for every second word only, the first or the other.
  int lane = 0;

  [[nodiscard]] bool conflicts(const RandomUse& other) const {
    const bool apart = lane != 0 && other.lane != 0 && lane != other.lane;
    return space == other.space && (writes || other.writes) && begin < other.end && other.begin < end && !apart;
  }
};

/// The result of a program is defined if every two conflicting commands are in order. This class says which commands
/// are in order, and which have to be put in order.
class RandomOrder {
 public:
  /// The commands and user events that have ended before a command begins.
  struct Known {
    std::vector<bool> commands;
    std::vector<bool> user_events;

    void add(const Known& other);
  };
  struct Plan {
    Known before;
    /// The commands that must be waited for by their events.
    std::vector<int> waits;
  };

  /// Returns the queue's number.
  int add_queue(bool in_order);

  /// Plans a command that would be enqueued now.
  [[nodiscard]] Plan plan(int queue, const std::vector<RandomUse>& uses) const;
  /// Makes the planned command wait for this one, too.
  void wait_for_command(Plan& plan, int command) const;
  void wait_for_user_event(Plan& plan, int user_event) const;
  /// Makes the planned command wait for all commands in its queue, as markers and barriers without a list do.
  void wait_for_queue(Plan& plan, int queue) const;
  /// Enqueues the planned command. Returns its number. `holds_later` is true for a barrier.
  int add(int queue, Plan plan, std::vector<RandomUse> uses, bool holds_later = false);

  /// Returns the user event's number.
  int add_user_event();
  void set(int user_event) { set_[static_cast<std::size_t>(user_event)] = true; }
  [[nodiscard]] bool is_set(int user_event) const { return set_[static_cast<std::size_t>(user_event)]; }
  /// Returns true if a user event that is not set keeps the command from ending.
  [[nodiscard]] bool held(const Known& before) const;
  [[nodiscard]] bool held(int command) const { return held(commands_[static_cast<std::size_t>(command)].before); }
  [[nodiscard]] bool held_queue(int queue) const;

  /// Notes that the program has waited for the command, so everything enqueued later comes after it.
  void finished(int command);
  void finished_queue(int queue);

  [[nodiscard]] int size() const { return static_cast<int>(commands_.size()); }
  [[nodiscard]] int queue_of(int command) const { return commands_[static_cast<std::size_t>(command)].queue; }

 private:
  struct Command {
    int queue = 0;
    Known before;
    std::vector<RandomUse> uses;
  };
  struct Queue {
    bool in_order = true;
    std::vector<int> commands;
    int barrier = -1;
  };

  void add_command(Known& known, int command) const;

  std::vector<Command> commands_;
  std::vector<Queue> queues_;
  std::vector<bool> set_;
  Known finished_;
};

}  // namespace troupe::tests
