/// The source of time. Code that measures or waits uses a clock object, so that tests and virtual time can replace it.
#pragma once

#include <atomic>

#include "troupe/units.hpp"

namespace troupe::platform {

class Clock {
 public:
  virtual ~Clock() = default;

  /// Returns the time since the clock's own epoch; this time never goes back. May be called from any thread.
  [[nodiscard]] virtual TimeStamp now() const noexcept = 0;

 protected:
  Clock() = default;
  Clock(const Clock&) = default;
  Clock& operator=(const Clock&) = default;
};

/// Real time since the machine started (CLOCK_MONOTONIC). A reading costs 20-40 ns, usually without a system call.
/// Reading the TSC would be only slightly cheaper, and on some machines the TSC differs between cores.
class SteadyClock final : public Clock {
 public:
  [[nodiscard]] TimeStamp now() const noexcept override;
};

/// Returns the value of `SteadyClock` at its last tick. A reading takes 5 ns and is up to one tick of the system (1 to
/// 10 ms) old. Use it for times that people read.
[[nodiscard]] TimeStamp coarse_now() noexcept;

/// A clock that stands still until a caller moves it. Tests and virtual time use it; virtual time moves it from event
/// to event. Any thread may read and move the clock.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(TimeStamp start = TimeStamp::zero()) : now_(start.count()) {}

  [[nodiscard]] TimeStamp now() const noexcept override;

  /// Moves the clock forward by `step`, which must not be negative.
  void advance(Duration step) noexcept;
  /// Moves the clock to `time`, which must not be in its past.
  void set(TimeStamp time) noexcept;

 private:
  std::atomic<TimeStamp::rep> now_;
};

}  // namespace troupe::platform
