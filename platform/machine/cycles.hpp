/// A cheap clock for heuristics.
#pragma once

#include <chrono>
#include <cstdint>

namespace troupe::platform {

/// Reads a counter that runs steadily on each core, in a few nanoseconds. The unit is about a third of a nanosecond on
/// today's x86 and up to 40 ns elsewhere, and the counters of two cores may differ. Use this only for decisions that
/// stay correct with any value, and for ratios of times, each measured on one core.
[[nodiscard]] inline std::uint64_t rough_ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// The number of `rough_ticks` in about one microsecond.
#if defined(__x86_64__)
inline constexpr std::uint64_t kRoughMicrosecond = 3000;
#else
inline constexpr std::uint64_t kRoughMicrosecond = 1000;
#endif

}  // namespace troupe::platform
