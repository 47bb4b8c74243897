#include "platform/cycles.hpp"

#include <algorithm>

#include "platform/clock.hpp"

namespace troupe::platform {

RoughClock::RoughClock() : first_time_(SteadyClock().now()), first_ticks_(rough_ticks()) {}

TimeStamp RoughClock::time_of(std::uint64_t ticks) const noexcept {
  const TimeStamp now = SteadyClock().now();
  const std::uint64_t now_ticks = rough_ticks();
  if (ticks <= first_ticks_ || now_ticks <= first_ticks_) return first_time_;
  const double part =
      static_cast<double>(ticks - first_ticks_) / static_cast<double>(std::max(now_ticks, ticks) - first_ticks_);
  return first_time_ + TimeStamp(static_cast<TimeStamp::rep>(part * static_cast<double>((now - first_time_).count())));
}

}  // namespace troupe::platform
