#include "platform/machine/clock.hpp"

#include <time.h>

#include <cassert>
#include <chrono>

namespace troupe::platform {

TimeStamp SteadyClock::now() const noexcept {
  return std::chrono::duration_cast<TimeStamp>(std::chrono::steady_clock::now().time_since_epoch());
}

TimeStamp coarse_now() noexcept {
  timespec time{};
#if defined(CLOCK_MONOTONIC_COARSE)
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
#else
  clock_gettime(CLOCK_MONOTONIC, &time);
#endif
  return std::chrono::seconds(time.tv_sec) + TimeStamp(time.tv_nsec);
}

TimeStamp ManualClock::now() const noexcept { return TimeStamp(now_.load()); }

void ManualClock::advance(Duration step) noexcept {
  assert(step >= Duration::zero() && "a clock does not go back");
  now_.fetch_add(step.count());
}

void ManualClock::set(TimeStamp time) noexcept {
  [[maybe_unused]] const auto previous = now_.exchange(time.count());
  assert(previous <= time.count() && "a clock does not go back");
}

}  // namespace troupe::platform
