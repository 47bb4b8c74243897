/// Factorizations of a program's matrices, in place or in a copy. The copy is made while the factorization begins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "linalg/factorization.hpp"
#include "python/module/linalg/strided_matrix.hpp"
#include "troupe/runtime.hpp"

namespace troupe::python {

/// A column-major matrix that is overwritten, and optionally a matrix that is copied to it first, and a matrix to which
/// the result is copied.
template <class T>
struct Operand {
  /// The elements, without gaps between columns. The memory must outlive the call.
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// The program's matrix, of the same size, whose content is copied to `data` first; empty if `data` already has the
  /// content. Each tile is copied by a task, so that the first tiles are factorized while others are still copied.
  std::optional<StridedMatrix<const T>> from = std::nullopt;
  /// The matrix to which the result is copied at the end; empty if the result is needed only in `data`.
  std::optional<StridedMatrix<T>> to = std::nullopt;
};

/// The number of columns of a tile; 0 means that `linalg::default_tile` chooses the number. The number of rows of a
/// tile depends on the size of the matrix and on the devices.
using TileWidth = std::int64_t;

// All functions below wait for all tasks of the runtime, and throw the failures of these tasks. If the matrix is not
// positive definite or is singular, they throw `numerical` with a message about the matrix alone; the content of the
// overwritten matrices is then lost. The sizes of the operands must match, and must not be 0. `T` is float or double.

/// Computes the lower factor, with zeros above the diagonal. The content above the diagonal is not read.
template <class T>
void factorize_cholesky(Runtime& runtime, const Operand<T>& a, TileWidth tile);

/// Computes L and U in one matrix, as LAPACK's getrf does, and returns the row exchanges, counted from 0. If `lower` is
/// not null, it must be a matrix of zeros of the same size: L is written there, and `a` gets only U.
template <class T>
std::vector<int> factorize_lu(Runtime& runtime, const Operand<T>& a, T* lower, TileWidth tile);

/// Computes A = Q R for a matrix with at least as many rows as columns. The upper triangle of `a` becomes R; the part
/// below has no meaning afterwards. If `q` is not null, it has as many rows as A and at least as many columns, and is
/// overwritten with columns of Q. If `rest` is not null, it has as many rows as A, and becomes Q^T times its old
/// content.
template <class T>
void factorize_qr(Runtime& runtime, const Operand<T>& a, const Operand<T>* q, const Operand<T>* rest, TileWidth tile);

/// Overwrites `b` with the solution of A X = B, and `a` with its factors, by Cholesky or by LU with partial pivoting.
template <class T>
void solve_system(Runtime& runtime, linalg::Application application, const Operand<T>& a, const Operand<T>& b,
                  TileWidth tile);

}  // namespace troupe::python
