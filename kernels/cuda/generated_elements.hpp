/// A symmetric matrix whose elements are computed where they are needed: equal on cores and on GPUs, to the last bit.
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
/// If `diagonal` is the matrix's order, the matrix is positive definite. Needs no other element, so any worker can make
/// any part of the matrix, and make it again.
constexpr double symmetric_element(std::uint64_t seed, std::int64_t row, std::int64_t col, double diagonal) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  const auto larger = static_cast<std::uint64_t>(row > col ? row : col);
  const auto smaller = static_cast<std::uint64_t>(row > col ? col : row);
  const std::uint64_t bits = mix_bits(mix_bits(seed + kGolden * (larger + 1)) + kGolden * (smaller + 1));
  // The number has 52 bits and a half, so it is never one of the ends, and it is exact, so nothing depends on rounding.
  const double uniform = (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52 - 0.5;
  return row == col ? uniform + diagonal : uniform;
}

}  // namespace troupe::kernels
