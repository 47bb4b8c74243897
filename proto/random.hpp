/// A small random source whose sequence is the same on every machine.
#pragma once

#include <cstdint>

namespace troupe {

/// The generator SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Not for cryptography.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  /// Returns a number that is uniform in [0, bound); the bias is below 2^-32. `bound` must be above 0.
  std::uint64_t below(std::uint32_t bound) { return (static_cast<std::uint64_t>(next() >> 32U) * bound) >> 32U; }

 private:
  std::uint64_t state_;
};

}  // namespace troupe
