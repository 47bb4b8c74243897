/// Time for heuristics.
#pragma once

#include <chrono>
#include <cstdint>

#include "proto/units.hpp"

namespace troupe::platform {

/// A counter that runs steadily on each core, read in a few nanoseconds; its unit is about a third of a nanosecond on
/// today's x86 and up to 40 ns elsewhere, and cores may disagree. Only for decisions that any answer leaves correct.
[[nodiscard]] inline std::uint64_t rough_ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// About a microsecond of `rough_ticks`.
#if defined(__x86_64__)
inline constexpr std::uint64_t kRoughMicrosecond = 3000;
#else
inline constexpr std::uint64_t kRoughMicrosecond = 1000;
#endif

/// Tells the time of earlier `rough_ticks`. It measures how long a tick is, from its construction on, and so costs
/// nothing until it is asked.
class RoughClock {
 public:
  RoughClock();

  /// The time (of `SteadyClock`) at which the counter said `ticks`, between the construction and now; good to about a
  /// thousandth of the time since, where cores agree. "Since when" for people.
  [[nodiscard]] TimeStamp time_of(std::uint64_t ticks) const noexcept;

 private:
  TimeStamp first_time_;
  std::uint64_t first_ticks_;
};

}  // namespace troupe::platform
