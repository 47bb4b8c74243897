/// Sources of random kernels that use pointers in all the ways that C allows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace troupe::tests {

/// All kernels have four pointers, an int, an uint and a structure as arguments, and use at most these bytes of each
/// buffer.
inline constexpr std::size_t kGeneratedBytes = 16384;
inline constexpr std::size_t kGeneratedPointers = 4;
/// Items in each of two dimensions, and of a group.
inline constexpr std::array<std::size_t, 2> kGeneratedItems{8, 4};
inline constexpr std::array<std::size_t, 2> kGeneratedGroup{4, 2};

/// The structure, as the host has it.
struct GeneratedValues {
  std::int32_t x;
  std::int16_t y;
  std::int64_t z;
};

/// Kernels k0, k1, … and what they share; the same for the same seed, in a test that one compiler built.
[[nodiscard]] std::string generated_source(std::uint32_t seed, int kernels);

}  // namespace troupe::tests
