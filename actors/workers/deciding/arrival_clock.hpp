/// Arrival clock: decides when a worker looks for newly submitted tasks.
#pragma once

#include <cstdint>

#include "platform/machine/clock.hpp"
#include "platform/machine/cycles.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// When a worker reads the entry queue, the submitting thread has a cache miss. So a worker reads the queue at most
/// once per microsecond. Reading the processor's tick counter takes a quarter of the time of an empty task, so the
/// counter is read once for several short tasks. Used by one thread.
class ArrivalClock {
 public:
  /// If `always` is true, the worker looks before each task, whatever the time is, and no clock is read.
  explicit ArrivalClock(bool always) : always_(always) {}

  /// Called before each task. Returns true if the worker has to call `may_look`.
  [[nodiscard]] bool next_task() {
    if (always_) return true;
    const TimeStamp now = platform::coarse_now();
    const bool long_ago = now != coarse_;
    coarse_ = now;
    ++tasks_;
    return long_ago || tasks_ >= stride_;
  }
  /// Reads the tick counter. Returns true if the worker may read the entry queue now, because it last read the queue at
  /// least a microsecond ago.
  [[nodiscard]] bool may_look() {
    if (always_) return true;
    const std::uint64_t now = platform::rough_ticks();
    const bool short_tasks = now - read_ < tasks_ * (platform::kRoughMicrosecond / kLongestStride);
    stride_ = short_tasks ? kLongestStride : 1;
    read_ = now;
    tasks_ = 0;
    if (now - looked_ < platform::kRoughMicrosecond) return false;
    looked_ = now;
    return true;
  }
  /// Returns the time of the last `next_task`, read from `platform::coarse_now`; zero if there was none, or if the
  /// worker always looks.
  [[nodiscard]] TimeStamp coarse() const { return coarse_; }

 private:
  /// The number of tasks for each reading of the tick counter, if tasks take less than an eighth of a microsecond.
  static constexpr std::uint32_t kLongestStride = 8;

  const bool always_;
  TimeStamp coarse_{};
  /// The tick counter's values: when `may_look` last returned true (`looked_`), and when the counter was last read
  /// (`read_`).
  std::uint64_t looked_ = 0;
  std::uint64_t read_ = 0;
  /// The number of tasks since the last reading of the tick counter (`tasks_`), and the number of tasks between two
  /// readings (`stride_`).
  std::uint32_t tasks_ = 0;
  std::uint32_t stride_ = 1;
};

}  // namespace troupe::workers
