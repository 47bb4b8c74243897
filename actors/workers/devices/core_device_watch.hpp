/// Team watch: measures how much of the cores' time a cluster uses for one task.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "actors/workers/devices/core_device.hpp"
#include "platform/machine/clock.hpp"
#include "platform/machine/cycles.hpp"

namespace troupe::workers {

/// Measures from the beginning of a kernel to the end of the kernel, even if the kernel ends with an exception.
class CoreDevice::TeamWatch {
 public:
  /// `seen` is true if all threads that compute for the kernel are members of the team.
  TeamWatch(CoreDevice& device, bool seen) noexcept : device_(device), seen_(seen) {}
  TeamWatch(const TeamWatch&) = delete;
  TeamWatch& operator=(const TeamWatch&) = delete;
  ~TeamWatch() {
    const Duration lasted = platform::SteadyClock().now() - begin_;
    const auto ticks = static_cast<double>(platform::rough_ticks() - ticks_);
    const int members = device_.team_->members();
    const double gained = ticks > 0 ? static_cast<double>(device_.team_->gained_ticks() - gained_) / ticks : 0;
    // The counters of the members may differ a little, but the used time must not exceed the offered time.
    const double computing = std::clamp(1 + gained, 0.0, static_cast<double>(members));
    const Duration offered = lasted * members;
    const Duration used(std::llround(static_cast<double>(lasted.count()) * computing));
    device_.last_use_ = seen_ ? TeamUse{offered, used, {}} : TeamUse{{}, {}, offered};
    if (device_.options_.team_use != nullptr) device_.options_.team_use->add(device_.last_use_);
  }

 private:
  CoreDevice& device_;
  const bool seen_;
  const std::int64_t gained_ = device_.team_->gained_ticks();
  const TimeStamp begin_ = platform::SteadyClock().now();
  const std::uint64_t ticks_ = platform::rough_ticks();
};

}  // namespace troupe::workers
