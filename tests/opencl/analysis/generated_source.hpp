/// Sources of random kernels that use pointers in all ways that C allows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace troupe::tests {

/// All kernels have four pointers, an int, a uint and a structure as arguments. They use at most this number of bytes
/// of each buffer.
inline constexpr std::size_t kGeneratedBytes = 16384;
inline constexpr std::size_t kGeneratedPointers = 4;
/// The items in each of two dimensions, of a launch and of a group.
inline constexpr std::array<std::size_t, 2> kGeneratedItems{8, 4};
inline constexpr std::array<std::size_t, 2> kGeneratedGroup{4, 2};

/// The structure as the host declares it.
struct GeneratedValues {
  std::int32_t x;
  std::int16_t y;
  std::int64_t z;
};

/// Returns the source of the kernels k0, k1, … and their shared functions. It is the same for the same seed, in tests
/// that the same compiler built.
[[nodiscard]] std::string generated_source(std::uint32_t seed, int kernels);

}  // namespace troupe::tests
