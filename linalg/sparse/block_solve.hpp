/// Solves and residuals with the factors of a sparse matrix of blocks. They run in the calling thread: a solve reads
/// the factors once, and one core can read as fast as the memory delivers.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/residuals.hpp"
#include "linalg/sparse/block_matrix.hpp"

namespace troupe::linalg {

// Vectors have as many elements as the matrix has rows. No task may use the blocks while these functions run.

/// Overwrites `x`, which has the right-hand side b, with the solution of L U x = b. `lu` has the factors.
template <class T>
void block_lu_solve(const BlockMatrix<T>& lu, std::vector<T>& x);

/// Returns |(A - L U) x| / (|A| |x| n eps) in the 1-norm for a random x, where eps is half the distance from 1 to the
/// next number of type `T`. If the factorization did not fill in empty blocks, only the products in full blocks belong
/// to L U, as in the factorization. `lu` has the factors of `a`. Sums are computed in double.
template <class T>
[[nodiscard]] Residual block_lu_residual(const BlockMatrix<T>& a, const BlockMatrix<T>& lu, std::uint64_t seed);

}  // namespace troupe::linalg
