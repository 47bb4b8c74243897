/// Factorizations of a program's matrices where they lie, or of copies that are made while the factorization begins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client/runtime.hpp"
#include "linalg/factorization.hpp"
#include "python/module/linalg/strided_matrix.hpp"

namespace troupe::python {

/// A column-major matrix that is overwritten, and what it is filled from.
template <class T>
struct Operand {
  /// Without gaps between columns; outlives the call.
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// The program's matrix, of the same size, which becomes the content first; nothing: it is there already. Each tile
  /// is copied by a task, so that the first tasks on tiles run while others are still copied.
  std::optional<StridedMatrix<const T>> from = std::nullopt;
  /// Where the result is copied to in the end; nothing: it stays here only.
  std::optional<StridedMatrix<T>> to = std::nullopt;
};

/// Columns of a tile; 0: chosen by `linalg::default_tile`. The rows are chosen by size and workers.
using TileWidth = std::int64_t;

// All of them return when the result is there, wait for all tasks of the runtime, and throw what failed among them.
// They throw `numerical` where the matrix is not positive definite or singular, with that alone as the message; what
// would have been overwritten is lost then. Sizes fit, and none is 0. `T` is float or double.

/// The lower factor, with zeros above the diagonal. What lies there before is not read.
template <class T>
void factorize_cholesky(Runtime& runtime, const Operand<T>& a, TileWidth tile);

/// L and U in one matrix, as LAPACK's getrf leaves them, with the rows that were exchanged, counted from 0. With
/// `lower`, a matrix of zeros of the same size, L goes there, and U stays.
template <class T>
std::vector<int> factorize_lu(Runtime& runtime, const Operand<T>& a, T* lower, TileWidth tile);

/// A = Q R of a matrix with at least as many rows as columns: R in the upper triangle of `a`, the rest of which is to
/// be overwritten. `q`, if given, has the rows of A and at least as many columns, and is overwritten by those of Q;
/// `rest`, if given, has the rows of A, and is overwritten by Q^T times itself.
template <class T>
void factorize_qr(Runtime& runtime, const Operand<T>& a, const Operand<T>* q, const Operand<T>* rest, TileWidth tile);

/// Overwrites `b` by the solution of A X = B, and `a` by its factors: of Cholesky, or of LU with partial pivoting.
template <class T>
void solve_system(Runtime& runtime, linalg::Application application, const Operand<T>& a, const Operand<T>& b,
                  TileWidth tile);

}  // namespace troupe::python
