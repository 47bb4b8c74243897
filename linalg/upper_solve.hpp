/// Back substitution: the last step of solving with LU and QR.
#pragma once

#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// Submits the tasks that overwrite B with the solution of U X = B, where U is the upper triangle of the square matrix
/// `u`. B has tiles of the same height as `u`.
template <class T>
void upper_solve(Runtime& runtime, const TiledMatrix<T>& u, TiledMatrix<T>& b);

}  // namespace troupe::linalg
