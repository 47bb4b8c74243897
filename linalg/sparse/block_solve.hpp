/// Solves and residuals with the factors of a sparse matrix of blocks, in the calling thread: the factors are read
/// once, and one core reads as fast as memory delivers.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/residuals.hpp"
#include "linalg/sparse/block_matrix.hpp"

namespace troupe::linalg {

// Vectors have as many elements as the matrix has rows. No task may use the blocks meanwhile.

/// Overwrites x, which is the right-hand side b, by the solution of L U x = b, where `lu` has the factors.
template <class T>
void block_lu_solve(const BlockMatrix<T>& lu, std::vector<T>& x);

/// Returns |(A - L U) x| / (|A| |x| n eps) in the 1-norm for a random x, where eps is half the distance from 1 to the
/// next number of type `T`. If empty blocks stay empty, L U is only the part of the product in full blocks, computed by
/// the same steps on vectors. `a` has been factorized to `lu`. Sums are taken in double.
template <class T>
[[nodiscard]] Residual block_lu_residual(const BlockMatrix<T>& a, const BlockMatrix<T>& lu, std::uint64_t seed);

}  // namespace troupe::linalg
