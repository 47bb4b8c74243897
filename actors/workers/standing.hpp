/// Standing: says whether a worker takes tasks.
#pragma once

#include <atomic>
#include <cstdint>

namespace troupe::workers {

/// The state of a worker whose cores may be regrouped (`Grouping`). All other workers are always open.
enum class RegroupingState : std::uint8_t {
  /// The worker takes tasks.
  open,
  /// The worker finishes the tasks that it runs. After that, the worker will lead a cluster, or be a single core.
  drains_to_lead,
  /// The worker has drained, and waits for the other workers that still drain.
  waits_to_lead,
  /// The worker may take tasks again, because its cluster is complete. The worker has not noticed this yet.
  opens,
  /// The worker finishes the tasks that it runs. After that, the worker will help a leader.
  drains_to_help,
  /// The worker runs no tasks, and lends its thread to a leader.
  helps,
  /// The worker still helps its old leader, and will lead when the regrouping is complete.
  helps_to_lead,
};

[[nodiscard]] constexpr bool drains(RegroupingState state) {
  return state == RegroupingState::drains_to_lead || state == RegroupingState::drains_to_help;
}
/// Returns true if a worker in this state forwards every task that it receives.
[[nodiscard]] constexpr bool passes_on(RegroupingState state) {
  return state == RegroupingState::drains_to_help || state == RegroupingState::helps;
}

/// The state may be read from any thread. `Grouping` writes the state under the lock of `Grouping`, except for the last
/// step from `opens` to `open`, which the worker makes.
class Standing {
 public:
  [[nodiscard]] RegroupingState state() const { return state_.load(std::memory_order_acquire); }
  [[nodiscard]] bool open() const { return state_.load(std::memory_order_relaxed) == RegroupingState::open; }
  /// Returns the same as `open`, but sequentially consistent. If one thread pushes a task and then looks whether the
  /// worker is open, and another thread closes the worker and then looks for tasks, one of the two sees what the other
  /// did.
  [[nodiscard]] bool open_seq_cst() const { return state_.load(std::memory_order_seq_cst) == RegroupingState::open; }
  /// Returns true if the worker forwards every task that it receives.
  [[nodiscard]] bool passes_on() const { return workers::passes_on(state()); }

  /// Called by the worker: changes the state from `opens` to `open`, unless another regrouping has begun meanwhile.
  void open_up() {
    RegroupingState expected = RegroupingState::opens;
    state_.compare_exchange_strong(expected, RegroupingState::open, std::memory_order_seq_cst);
  }
  void set(RegroupingState state) { state_.store(state, std::memory_order_seq_cst); }

 private:
  std::atomic<RegroupingState> state_{RegroupingState::open};
};

}  // namespace troupe::workers
