/// The order of a random program's commands, as far as its events, queues and waits determine it.
#pragma once

#include <cstddef>
#include <vector>

namespace troupe::tests {

/// A range of bytes that a command uses.
struct RandomUse {
  /// The number of the buffer, or of the block of host memory.
  int space = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool writes = false;
  /// The used words in the range: 0 for all words, 1 for those with even numbers, 2 for those with odd numbers.
  int lane = 0;

  [[nodiscard]] bool conflicts(const RandomUse& other) const {
    const bool apart = lane != 0 && other.lane != 0 && lane != other.lane;
    return space == other.space && (writes || other.writes) && begin < other.end && other.begin < end && !apart;
  }
};

/// A program's result is defined only if every two conflicting commands have a known order. This class knows which
/// commands are in order, and says for which other commands a new command must wait.
class RandomOrder {
 public:
  /// The commands and user events that have certainly ended before a command begins.
  struct Known {
    std::vector<bool> commands;
    std::vector<bool> user_events;

    void add(const Known& other);
  };
  struct Plan {
    Known before;
    /// The commands whose events must be in the wait list of the new command.
    std::vector<int> waits;
  };

  /// Adds a queue. Returns its number.
  int add_queue(bool in_order);

  /// Plans a command that is to be enqueued now.
  [[nodiscard]] Plan plan(int queue, const std::vector<RandomUse>& uses) const;
  /// Makes the planned command also wait for this command.
  void wait_for_command(Plan& plan, int command) const;
  void wait_for_user_event(Plan& plan, int user_event) const;
  /// Makes the planned command wait for all earlier commands in its queue, like a marker or barrier without a list.
  void wait_for_queue(Plan& plan, int queue) const;
  /// Adds the planned command. Returns its number. `holds_later` is true for a barrier, for which all later commands
  /// wait.
  int add(int queue, Plan plan, std::vector<RandomUse> uses, bool holds_later = false);

  /// Adds a user event. Returns its number.
  int add_user_event();
  void set(int user_event) { set_[static_cast<std::size_t>(user_event)] = true; }
  [[nodiscard]] bool is_set(int user_event) const { return set_[static_cast<std::size_t>(user_event)]; }
  /// Returns true if the command cannot end yet, because a user event for which it waits is not set.
  [[nodiscard]] bool held(const Known& before) const;
  [[nodiscard]] bool held(int command) const { return held(commands_[static_cast<std::size_t>(command)].before); }
  [[nodiscard]] bool held_queue(int queue) const;

  /// Notes that the program has waited for the command. All commands that are enqueued later come after it.
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
