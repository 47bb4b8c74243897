/// Tile Cholesky factorization.
#pragma once

#include "kernels/codelets.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// Submits the tasks that overwrite the lower triangle of the symmetric matrix `a` (of which only the tiles on and
/// below the diagonal are used) with L, where A = L L^T. Returns before these tasks have run, so wait for the runtime
/// afterwards. If A is not positive definite, the wait throws `numerical`, and the message names the leading minor.
/// `kernel` has the codelets to submit. The algorithm is right-looking and works on tiles: Buttari et al., Parallel
/// Computing 35 (2009).
template <class T>
void cholesky(Runtime& runtime, TiledMatrix<T>& a, const kernels::TileCodelets<T>& kernel = kernels::codelets<T>());

/// Submits the tasks that overwrite B with the solution of L L^T X = B. B has tiles of the same height as L.
template <class T>
void cholesky_solve(Runtime& runtime, const TiledMatrix<T>& l, TiledMatrix<T>& b);

}  // namespace troupe::linalg
