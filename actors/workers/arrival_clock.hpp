/// Arrival clock: says when a worker is to look for new arrivals.
#pragma once

#include <cstdint>

#include "platform/machine/clock.hpp"
#include "platform/machine/cycles.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// A look at the entry queue costs the submitting thread a cache miss, so there is at most one look in a microsecond.
/// Reading the processor's ticks costs as much as a quarter of an empty task, so several short tasks share one reading.
/// Belongs to one thread.
class ArrivalClock {
 public:
  /// Called before each task. Returns true if `may_look` is to be asked.
  [[nodiscard]] bool next_task() {
    const TimeStamp now = platform::coarse_now();
    const bool long_ago = now != coarse_;
    coarse_ = now;
    ++tasks_;
    return long_ago || tasks_ >= stride_;
  }
  /// Reads the ticks. Returns true if the last look was a microsecond ago or longer: then another look begins now.
  [[nodiscard]] bool may_look() {
    const std::uint64_t now = platform::rough_ticks();
    const bool short_tasks = now - read_ < tasks_ * (platform::kRoughMicrosecond / kLongestStride);
    stride_ = short_tasks ? kLongestStride : 1;
    read_ = now;
    tasks_ = 0;
    if (now - looked_ < platform::kRoughMicrosecond) return false;
    looked_ = now;
    return true;
  }
  /// Returns the time of the last `next_task`, read from `platform::coarse_now`; zero if there was none.
  [[nodiscard]] TimeStamp coarse() const { return coarse_; }

 private:
  /// The number of tasks for one reading of the ticks if tasks take less than an eighth of a microsecond.
  static constexpr std::uint32_t kLongestStride = 8;

  TimeStamp coarse_{};
  /// The ticks at the last look, and at the last reading.
  std::uint64_t looked_ = 0;
  std::uint64_t read_ = 0;
  /// The number of tasks since the last reading, and the number of tasks between two readings.
  std::uint32_t tasks_ = 0;
  std::uint32_t stride_ = 1;
};

}  // namespace troupe::workers
