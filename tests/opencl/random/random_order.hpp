/// What is known of the order of a random program's commands, from its events, queues and waits alone.
#pragma once

#include <cstddef>
#include <vector>

namespace troupe::tests {

/// Bytes that a command uses.
struct RandomUse {
  /// A buffer's or host block's number.
  int space = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool writes = false;
  /// 0: all of them; 1 or 2: of every second word only, the first or the other.
  int lane = 0;

  [[nodiscard]] bool conflicts(const RandomUse& other) const {
    const bool apart = lane != 0 && other.lane != 0 && lane != other.lane;
    return space == other.space && (writes || other.writes) && begin < other.end && other.begin < end && !apart;
  }
};

/// A program's result is defined where every two commands that conflict are in order. This says which are, and which
/// have to be put in order.
class RandomOrder {
 public:
  /// Commands and user events that are over before a command begins.
  struct Known {
    std::vector<bool> commands;
    std::vector<bool> user_events;

    void add(const Known& other);
  };
  struct Plan {
    Known before;
    /// The commands that must be waited for by name.
    std::vector<int> waits;
  };

  /// Returns the queue's number.
  int add_queue(bool in_order);

  /// For a command that would be enqueued now.
  [[nodiscard]] Plan plan(int queue, const std::vector<RandomUse>& uses) const;
  /// It waits for this, too.
  void wait_for_command(Plan& plan, int command) const;
  void wait_for_user_event(Plan& plan, int user_event) const;
  /// It waits for all that its queue has, as markers and barriers without a list do.
  void wait_for_queue(Plan& plan, int queue) const;
  /// Enqueued; its number. `holds_later`: a barrier.
  int add(int queue, Plan plan, std::vector<RandomUse> uses, bool holds_later = false);

  /// Returns the user event's number.
  int add_user_event();
  void set(int user_event) { set_[static_cast<std::size_t>(user_event)] = true; }
  [[nodiscard]] bool is_set(int user_event) const { return set_[static_cast<std::size_t>(user_event)]; }
  /// Whether a user event that is not set keeps it from ending.
  [[nodiscard]] bool held(const Known& before) const;
  [[nodiscard]] bool held(int command) const { return held(commands_[static_cast<std::size_t>(command)].before); }
  [[nodiscard]] bool held_queue(int queue) const;

  /// The program has waited for it: all that is enqueued later comes after it.
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
