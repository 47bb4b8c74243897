/// Tile LU factorization, with and without pivoting.
#pragma once

#include <vector>

#include "kernels/codelets.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// The row exchanges of a factorization, like LAPACK's ipiv: row i was exchanged with row `rows[i]`, both counted from
/// zero, in the order of i. The object must live until the tasks that use it have ended.
class Pivots {
 public:
  /// Makes the pivots for a matrix of `rows` rows and panels of `panel` columns.
  Pivots(Runtime& runtime, std::int64_t rows, std::int64_t panel);

  /// `all` returns the handle of all pivots, which lie in one piece of host memory. `panel` returns the handle of the
  /// pivots of panel k.
  [[nodiscard]] Handle all() const { return registration_; }
  [[nodiscard]] Handle panel(int k) const { return panels_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] int panels() const { return static_cast<int>(panels_.size()); }
  [[nodiscard]] const std::vector<int>& rows() const { return rows_; }

 private:
  std::vector<int> rows_;
  Data registration_;
  std::vector<Handle> panels_;
};

/// Submits the tasks that overwrite the square matrix `a` with L and U, where P A = L U, L unit lower triangular. Uses
/// partial pivoting over whole columns, like LAPACK's getrf. A panel is one task on the tiles of its block column. For
/// every later block column, the row exchanges and the triangular solve are one task, and the updates are one task per
/// tile below. Cores factorize a panel in place if the matrix has block columns (`TileStorage::columns` or `in_place`),
/// and otherwise copy it. The diagonal block of every tile column must lie inside one tile. If U(i, i) is exactly zero,
/// the wait throws `numerical` with i.
template <class T>
void lu(Runtime& runtime, TiledMatrix<T>& a, const Pivots& pivots,
        const kernels::TileCodelets<T>& kernel = kernels::codelets<T>());

/// Submits the tasks that overwrite B with the solution of A X = B. B needs tiles of the same height as A.
template <class T>
void lu_solve(Runtime& runtime, const TiledMatrix<T>& lu, const Pivots& pivots, TiledMatrix<T>& b);

/// The order in which each step of `lu_without_pivoting` submits its tasks. A policy that places tasks in the order in
/// which they become ready places them differently with each order, and so causes different copies of tiles.
enum class LuOrder {
  /// First the tiles of L in the block column; then, for each later block column, its tile of U and its updates.
  by_columns,
  /// The tiles of L and of U in turn, then all updates by rows, as StarPU's example does.
  panels_first,
};

/// Factorizes as `lu` does, but without row exchanges, tile by tile. Stable only for matrices that need no exchanges,
/// such as diagonally dominant matrices. A pivot of exactly zero is a `numerical` failure.
template <class T>
void lu_without_pivoting(Runtime& runtime, TiledMatrix<T>& a,
                         const kernels::TileCodelets<T>& kernel = kernels::codelets<T>(),
                         LuOrder order = LuOrder::by_columns);

/// Submits the tasks that overwrite B with the solution of L U X = B.
template <class T>
void lu_solve_without_pivoting(Runtime& runtime, const TiledMatrix<T>& lu, TiledMatrix<T>& b);

}  // namespace troupe::linalg
