/// Quantities with their unit in the type.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace troupe {

/// An amount of memory.
struct Bytes {
  std::uint64_t count = 0;

  friend constexpr auto operator<=>(Bytes, Bytes) = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  constexpr Bytes& operator+=(Bytes other) {
    count += other.count;
    return *this;
  }
};

/// Every duration and time stamp of the runtime is a signed number of nanoseconds. A time stamp counts from the epoch
/// of its clock, so only differences between time stamps have a meaning.
using Duration = std::chrono::nanoseconds;
using TimeStamp = std::chrono::nanoseconds;

constexpr double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace troupe
