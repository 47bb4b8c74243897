/// Whether a worker takes tasks.
#pragma once

#include <atomic>
#include <cstdint>

namespace troupe::workers {

/// Of a worker whose cores may be grouped otherwise (`Grouping`); all others are always open.
enum class Part : std::uint8_t {
  /// It takes tasks.
  open,
  /// It ends what it runs, and will lead.
  drains_to_lead,
  /// It waits for those that still run something.
  waits_to_lead,
  /// It may open: its cluster is complete.
  opens,
  /// It ends what it runs, and will help.
  drains_to_help,
  /// It runs nothing, and lends its thread to a leader.
  helps,
  /// So it does until that has drained, and will lead.
  helps_to_lead,
};

[[nodiscard]] constexpr bool drains(Part part) { return part == Part::drains_to_lead || part == Part::drains_to_help; }
/// Whatever is given to a worker that is this goes elsewhere.
[[nodiscard]] constexpr bool passes_on(Part part) { return part == Part::drains_to_help || part == Part::helps; }

/// Any thread looks. Written under the lock of `Grouping`, but for the last step from `opens` to `open`, which is the
/// worker's own.
class Standing {
 public:
  [[nodiscard]] Part part() const { return part_.load(std::memory_order_acquire); }
  [[nodiscard]] bool open() const { return part_.load(std::memory_order_relaxed) == Part::open; }
  /// As `open`; sequentially consistent, so that "push a task, then look whether its worker is open" and "close the
  /// worker, then look for tasks" cannot both miss the other.
  [[nodiscard]] bool surely_open() const { return part_.load(std::memory_order_seq_cst) == Part::open; }
  /// Whatever is given to it goes elsewhere.
  [[nodiscard]] bool passes_on() const { return workers::passes_on(part()); }

  /// Of its worker: takes the last step, unless another regrouping has begun meanwhile.
  void open_up() {
    Part expected = Part::opens;
    part_.compare_exchange_strong(expected, Part::open, std::memory_order_seq_cst);
  }
  void set(Part part) { part_.store(part, std::memory_order_seq_cst); }

 private:
  std::atomic<Part> part_{Part::open};
};

}  // namespace troupe::workers
