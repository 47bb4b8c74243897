/// A symmetric matrix whose elements are computed where they are needed. The elements are the same, to the last bit, on
/// cores and on GPUs.
#pragma once

#include <cstdint>

namespace troupe::kernels {

/// Mixes the bits of `x`: every bit of the result depends on every bit of `x`. It is the finalizer of SplitMix64
/// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
constexpr std::uint64_t mix_bits(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// Returns element (`row`, `col`) of a symmetric matrix: uniform in (-1/2, 1/2), with `diagonal` added on the diagonal.
/// If `diagonal` is the matrix's order, the matrix is positive definite. The element does not depend on other elements,
/// so any worker can make any part of the matrix, any number of times.
constexpr double symmetric_element(std::uint64_t seed, std::int64_t row, std::int64_t col, double diagonal) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  const auto larger = static_cast<std::uint64_t>(row > col ? row : col);
  const auto smaller = static_cast<std::uint64_t>(row > col ? col : row);
  const std::uint64_t bits = mix_bits(mix_bits(seed + kGolden * (larger + 1)) + kGolden * (smaller + 1));
  // The result is exact, so it does not depend on rounding. The addition of 0.5 keeps the result away from the ends of
  // the interval.
  const double uniform = (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52 - 0.5;
  return row == col ? uniform + diagonal : uniform;
}

}  // namespace troupe::kernels
