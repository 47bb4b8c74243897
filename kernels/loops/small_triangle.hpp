/// Triangular solves of small order: the part of a triangular solve that matrix products cannot do.
#pragma once

#include <cstdint>

#include "troupe/layout.hpp"

namespace troupe::kernels {

/// The largest order of `solve_small_triangle`. In measurements 48 was as good as 24 and 32, and better than 64.
constexpr std::int64_t kSmallTriangle = 48;

/// Solves as `solve_triangular` does, for a triangle A of order at most `kSmallTriangle` and any B that fits. The other
/// triangle is not read, nor is the diagonal if it is a unit one. A zero on the diagonal gives infinities or NaN, as
/// trsm does.
///
/// Works on 64 right-hand sides at a time in vector registers. At this order and from some 32 right-hand sides on it is
/// two to three times as fast as OpenBLAS's trsm. Divisions are products with the reciprocal, as in OpenBLAS. Allocates
/// nothing; takes 45 KiB of stack.
template <class T>
void solve_small_triangle(char side, char uplo, char trans, char diag, MatrixView<const T> a, MatrixView<T> b);

}  // namespace troupe::kernels
