/// Generates random kernels that use pointers in many of the ways that C allows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace troupe::tests {

/// The arguments of every kernel are four pointers, an int, a uint and a structure. Kernels use at most this number of
/// bytes of each buffer.
inline constexpr std::size_t kGeneratedBytes = 16384;
inline constexpr std::size_t kGeneratedPointers = 4;
/// The numbers of work-items of a launch and of a work-group, in each of two dimensions.
inline constexpr std::array<std::size_t, 2> kGeneratedItems{8, 4};
inline constexpr std::array<std::size_t, 2> kGeneratedGroup{4, 2};

/// The host's declaration of the structure.
struct GeneratedValues {
  std::int32_t x;
  std::int16_t y;
  std::int64_t z;
};

/// Returns the source of the kernels k0, k1, … and of the functions that they share. Tests that were built by the same
/// compiler get the same source for the same seed.
[[nodiscard]] std::string generated_source(std::uint32_t seed, int kernels);

}  // namespace troupe::tests
