/// Factorizations of a program's matrices in place, or of copies that are made while the factorization begins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "linalg/factorization.hpp"
#include "python/module/linalg/strided_matrix.hpp"
#include "troupe/runtime.hpp"

namespace troupe::python {

/// A column-major matrix that is overwritten, and the matrix that it is filled from.
template <class T>
struct Operand {
  /// The elements, without gaps between columns; they outlive the call.
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// The program's matrix, of the same size, whose content is copied in first; nothing if the content is already there.
  /// A task copies each tile, so that the first tasks on tiles run while others are still copied.
  std::optional<StridedMatrix<const T>> from = std::nullopt;
  /// The matrix to which the result is copied at the end; nothing if the result stays only here.
  std::optional<StridedMatrix<T>> to = std::nullopt;
};

/// The number of columns of a tile; 0 means that `linalg::default_tile` chooses it. The number of rows is chosen by
/// size and devices.
using TileWidth = std::int64_t;

// All functions below wait for all tasks of the runtime, and throw their failures. If the matrix is not positive
// definite or is singular, they throw `numerical`, and the message says only that; the content of the overwritten
// matrices is then lost. Sizes must fit, and none may be 0. `T` is float or double.

/// Computes the lower factor, with zeros above the diagonal. The content above the diagonal is not read.
template <class T>
void factorize_cholesky(Runtime& runtime, const Operand<T>& a, TileWidth tile);

/// Computes L and U in one matrix, as LAPACK's getrf leaves them, and returns the exchanged rows, counted from 0. If
/// `lower` is given, it is a matrix of zeros of the same size: L goes there, and U stays.
template <class T>
std::vector<int> factorize_lu(Runtime& runtime, const Operand<T>& a, T* lower, TileWidth tile);

/// Computes A = Q R of a matrix with at least as many rows as columns: R goes into the upper triangle of `a`, and the
/// part below it has no meaning. `q`, if given, has as many rows as A and at least as many columns, and is overwritten
/// by columns of Q. `rest`, if given, has as many rows as A, and is overwritten by Q^T times `rest`.
template <class T>
void factorize_qr(Runtime& runtime, const Operand<T>& a, const Operand<T>* q, const Operand<T>* rest, TileWidth tile);

/// Overwrites `b` by the solution of A X = B, and `a` by its factors: of Cholesky, or of LU with partial pivoting.
template <class T>
void solve_system(Runtime& runtime, linalg::Application application, const Operand<T>& a, const Operand<T>& b,
                  TileWidth tile);

}  // namespace troupe::python
