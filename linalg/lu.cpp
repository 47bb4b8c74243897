#include "linalg/lu.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/codelets.hpp"
#include "linalg/tile_checks.hpp"
#include "linalg/tile_priorities.hpp"
#include "linalg/upper_solve.hpp"

namespace troupe::linalg {

using kernels::codelets;

Pivots::Pivots(Runtime& runtime, std::int64_t rows, std::int64_t panel)
    : rows_(static_cast<std::size_t>(rows)), registration_(runtime.vector(rows_, "pivots")) {
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < rows; i += panel) blocks.push_back({i, 0, std::min(panel, rows - i), 1});
  panels_ = runtime.partition(registration_, blocks);
}

namespace {

/// The handles of a task on a block column. The memory of the list is reused for the next task.
class ColumnAccesses {
 public:
  ColumnAccesses& begin() {
    accesses_.clear();
    return *this;
  }
  ColumnAccesses& add(Access access) {
    accesses_.push_back(access);
    return *this;
  }
  /// Adds the pivots of the panels from `first` on.
  ColumnAccesses& add(const Pivots& pivots, int first) {
    for (int k = first; k < pivots.panels(); ++k) add(read(pivots.panel(k)));
    return *this;
  }
  /// Adds the tiles of column j from tile row `top` on, and returns all handles.
  template <class T>
  std::span<const Access> with(const TiledMatrix<T>& a, int top, int j) {
    for (int i = top; i < a.tile_rows(); ++i) add(read_write(a(i, j)));
    return accesses_;
  }

 private:
  std::vector<Access> accesses_;
};

/// Throws `invalid_argument` unless the pivots are those of a matrix with such rows and panels.
template <class T>
void require_pivots(const Pivots& pivots, const TiledMatrix<T>& a) {
  const auto rows = static_cast<std::int64_t>(pivots.rows().size());
  if (rows == a.rows() && pivots.panels() == a.tile_cols()) return;
  throw Error(ErrorCode::invalid_argument, std::to_string(rows) + " pivots in " + std::to_string(pivots.panels()) +
                                               " panels do not fit " + describe(a) +
                                               ": make Pivots for its rows and for panels as wide as its tiles");
}

}  // namespace

template <class T>
void lu(Runtime& runtime, TiledMatrix<T>& a, const Pivots& pivots, const kernels::TileCodelets<T>& kernel) {
  require_square(a, "lu");
  require_diagonal_in_tiles(a);
  require_pivots(pivots, a);
  const int n = a.tile_cols();
  const std::vector<int> priorities = lu_priorities(TileGrid::of(a));
  auto priority = priorities.begin();
  ColumnAccesses accesses;
  for (int k = 0; k < n; ++k) {
    const int top = a.diagonal(k);
    const std::int64_t offset = a.diagonal_offset(k);
    const std::int64_t first = k * a.tile().cols;
    runtime.submit(kernel.getrf_panel, accesses.begin().add(write(pivots.panel(k))).with(a, top, k),
                   args(offset, first), {.priority = *priority++});
    for (int j = k + 1; j < n; ++j) {
      runtime.submit(kernel.swap_and_solve,
                     accesses.begin().add(read(a(top, k))).add(read(pivots.panel(k))).with(a, top, j),
                     args(offset, first), {.priority = *priority++});
      for (int i = top + 1; i < a.tile_rows(); ++i) {
        runtime.submit(kernel.gemm_nn, {a(i, k), a(top, j), a(i, j)}, args(offset), {.priority = *priority++});
      }
    }
  }
  // The row exchanges of later panels also apply to L. They are applied once per block column, when all pivots are
  // known.
  for (int j = 0; j + 1 < n; ++j) {
    runtime.submit(kernel.swap_rows, accesses.begin().add(pivots, j + 1).with(a, a.diagonal(j + 1), j),
                   args(a.diagonal_offset(j + 1), (j + 1) * a.tile().cols), {.priority = *priority++});
  }
}

template <class T>
void lu_solve(Runtime& runtime, const TiledMatrix<T>& lu, const Pivots& pivots, TiledMatrix<T>& b) {
  require_pivots(pivots, lu);
  require_equal_rows(lu, b);
  if (lu.rows() == 0) return;
  const auto& kernel = codelets<T>();
  ColumnAccesses accesses;
  for (int r = 0; r < b.tile_cols(); ++r) {
    runtime.submit(kernel.swap_rows, accesses.begin().add(pivots, 0).with(b, 0, r),
                   args(std::int64_t{0}, std::int64_t{0}));
  }
  lu_solve_without_pivoting(runtime, lu, b);
}

template <class T>
void lu_without_pivoting(Runtime& runtime, TiledMatrix<T>& a, const kernels::TileCodelets<T>& kernel, LuOrder order) {
  require_square(a, "lu_without_pivoting");
  require_diagonal_in_tiles(a);
  const std::vector<int> priorities = lu_without_pivoting_priorities(TileGrid::of(a));
  // The priorities are in the order `by_columns`; `priority` points to the first priority of step k.
  auto priority = priorities.begin();
  for (int k = 0; k < a.tile_cols(); ++k) {
    const int top = a.diagonal(k);
    const int below = a.tile_rows() - top - 1;
    const std::int64_t offset = a.diagonal_offset(k);
    const auto tile_of_l = [&](int i) {
      runtime.submit(kernel.trsm_right_upper, {a(top, k), a(i, k)}, args(offset), {.priority = priority[i - top]});
    };
    const auto tile_of_u = [&](int j) {
      runtime.submit(kernel.solve_unit_lower, {a(top, k), a(top, j)}, args(offset),
                     {.priority = priority[1 + below + (j - k - 1) * (below + 1)]});
    };
    const auto update = [&](int i, int j) {
      runtime.submit(kernel.gemm_nn, {a(i, k), a(top, j), a(i, j)}, args(offset),
                     {.priority = priority[1 + below + (j - k - 1) * (below + 1) + i - top]});
    };
    runtime.submit(kernel.getrf_without_pivoting, {a(top, k)}, args(offset, k * a.tile().cols),
                   {.priority = priority[0]});
    if (order == LuOrder::by_columns) {
      for (int i = top + 1; i < a.tile_rows(); ++i) tile_of_l(i);
      for (int j = k + 1; j < a.tile_cols(); ++j) {
        tile_of_u(j);
        for (int i = top + 1; i < a.tile_rows(); ++i) update(i, j);
      }
    } else {
      for (int next = 1; next <= std::max(below, a.tile_cols() - k - 1); ++next) {
        if (next <= below) tile_of_l(top + next);
        if (k + next < a.tile_cols()) tile_of_u(k + next);
      }
      for (int i = top + 1; i < a.tile_rows(); ++i) {
        for (int j = k + 1; j < a.tile_cols(); ++j) update(i, j);
      }
    }
    priority += 1 + below + (a.tile_cols() - k - 1) * (below + 1);
  }
}

template <class T>
void lu_solve_without_pivoting(Runtime& runtime, const TiledMatrix<T>& lu, TiledMatrix<T>& b) {
  require_square(lu, "the solution with LU factors");
  require_equal_rows(lu, b);
  const auto& kernel = codelets<T>();
  for (int r = 0; r < b.tile_cols(); ++r) {
    for (int k = 0; k < lu.tile_cols(); ++k) {  // solves L Y = B
      const int top = lu.diagonal(k);
      const std::int64_t offset = lu.diagonal_offset(k);
      runtime.submit(kernel.solve_unit_lower, {lu(top, k), b(top, r)}, args(offset));
      for (int i = top + 1; i < lu.tile_rows(); ++i) {
        runtime.submit(kernel.gemm_nn, {lu(i, k), b(top, r), b(i, r)}, args(offset));
      }
    }
  }
  upper_solve(runtime, lu, b);  // solves U X = Y
}

#define TROUPE_INSTANTIATE(T)                                                                             \
  template void lu(Runtime&, TiledMatrix<T>&, const Pivots&, const kernels::TileCodelets<T>&);            \
  template void lu_solve(Runtime&, const TiledMatrix<T>&, const Pivots&, TiledMatrix<T>&);                \
  template void lu_without_pivoting(Runtime&, TiledMatrix<T>&, const kernels::TileCodelets<T>&, LuOrder); \
  template void lu_solve_without_pivoting(Runtime&, const TiledMatrix<T>&, TiledMatrix<T>&);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::linalg
