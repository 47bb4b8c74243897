/// Triangular solves of small order: the step of a triangular solve that cannot be done by matrix products.
#pragma once

#include <cstdint>

#include "troupe/layout.hpp"

namespace troupe::kernels {

/// The largest order of `solve_small_triangle`. In measurements 48 was as good as 24 and 32, and better than 64.
constexpr std::int64_t kSmallTriangle = 48;

/// Solves as `solve_triangular` (kernels/factor.hpp) does, for a triangle A of order at most `kSmallTriangle` and any B
/// of matching size. The other triangle is not read; a unit diagonal is not read either. A zero on the diagonal gives
/// infinities or NaN, as in trsm.
///
/// Works on 64 right-hand sides at a time in vector registers. From about 32 right-hand sides on, the function is two
/// to three times as fast as OpenBLAS's trsm. Divisions are products with the reciprocal, as in OpenBLAS. The function
/// allocates nothing, and uses 45 KiB of stack.
template <class T>
void solve_small_triangle(char side, char uplo, char trans, char diag, MatrixView<const T> a, MatrixView<T> b);

}  // namespace troupe::kernels
