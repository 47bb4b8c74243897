#include "linalg/tile_priorities.hpp"

#include <cstddef>
#include <initializer_list>
#include <span>

#include "graph/tasks/upward_ranks.hpp"

namespace troupe::linalg {
namespace {

/// The number of priority levels per block column. There are enough levels to distinguish the steps, but so few that
/// several tasks have equal priority, and a worker can prefer the task whose data are in its cache.
constexpr int kLevelsPerColumn = 4;

/// The speeds of the kernels per operation, relative to the matrix product (docs/notes/measurements.md). Only the
/// resulting order of tasks matters, and it depends little on these numbers.
constexpr double kSolveSpeed = 0.8;
constexpr double kDiagonalSpeed = 0.5;
constexpr double kPanelSpeed = 0.7;
constexpr double kReflectorSpeed = 0.55;

/// The tasks of an algorithm as they are submitted.
///
/// In Cholesky and LU without pivoting, the updates of a panel count as ready only when all tiles of the panel are
/// ready. This is stricter than the real dependencies, so the priorities also respect the real dependencies. Ranks by
/// the real dependencies alone would postpone the solves far below the diagonal, because few tasks depend on them. When
/// a worker runs such a solve, the tile that an update has written is no longer in the cache.
class Plan {
 public:
  using Use = UpwardRanks::Use;

  explicit Plan(const TileGrid& grid) : grid_(grid), tile_rows_(static_cast<std::size_t>(grid.tile_rows())) {}

  /// Return a use of tile (i, j), for reading or for writing.
  [[nodiscard]] Use read(int i, int j) const { return {index(i, j), false}; }
  [[nodiscard]] Use write(int i, int j) const { return {index(i, j), true}; }
  /// Return a use of the data of panel k that are not tiles: pivots, or the copy of a diagonal tile's reflectors.
  [[nodiscard]] Use read_extra(int k) const { return {index(0, grid_.tile_cols() + k), false}; }
  [[nodiscard]] Use write_extra(int k) const { return {index(0, grid_.tile_cols() + k), true}; }

  void add(double cost, std::initializer_list<Use> uses) { ranks_.add(cost, {uses.begin(), uses.size()}); }
  /// Adds an entry without cost that writes the extra data of panel k, so that every later reader of these data depends
  /// on all earlier readers: see the comment on this class.
  void finish_panel(int k) {
    joints_.push_back(ranks_.size());
    add(0, {write_extra(k)});
  }
  /// Adds a task that also writes the tiles of column j from tile row `top` on.
  void add_on_column(double cost, int top, int j, std::initializer_list<Use> uses) {
    uses_.assign(uses);
    for (int i = top; i < grid_.tile_rows(); ++i) uses_.push_back(write(i, j));
    ranks_.add(cost, uses_);
  }
  [[nodiscard]] std::vector<int> priorities() const {
    std::vector<int> all = ranks_.priorities(std::max(1, kLevelsPerColumn * grid_.tile_cols()));
    // Leave out the entries of `finish_panel`, which are not tasks.
    auto joint = joints_.begin();
    std::size_t kept = 0;
    for (std::size_t task = 0; task < all.size(); ++task) {
      if (joint != joints_.end() && *joint == task) {
        ++joint;
      } else {
        all[kept++] = all[task];
      }
    }
    all.resize(kept);
    return all;
  }

 private:
  [[nodiscard]] std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * tile_rows_;
  }

  const TileGrid& grid_;
  const std::size_t tile_rows_;
  UpwardRanks ranks_;
  /// The indices of the entries of `finish_panel`, which are not tasks.
  std::vector<std::size_t> joints_;
  /// The uses of one task. Each call of `add_on_column` reuses the memory.
  std::vector<Use> uses_;
};

double number(std::int64_t value) { return static_cast<double>(value); }

double product_cost(std::int64_t m, std::int64_t n, std::int64_t k) { return 2 * number(m) * number(n) * number(k); }

/// Returns the cost of a solve with a triangle of order n and m right-hand sides.
double solve_cost(std::int64_t m, std::int64_t n) { return number(m) * number(n) * number(n) / kSolveSpeed; }

/// Returns the number of rows of the diagonal tile of column k, from the diagonal on.
std::int64_t rows_from_diagonal(const TileGrid& a, int k) { return a.rows_of(a.diagonal(k)) - a.diagonal_offset(k); }

/// Returns the cost of `potrf` or `getrf_without_pivoting` on a diagonal tile: `square` n^3 operations for the square
/// part, and a solve for the rows below.
double diagonal_cost(const TileGrid& a, int k, double square) {
  const std::int64_t n = a.cols_of(k);
  const std::int64_t below = std::max<std::int64_t>(rows_from_diagonal(a, k) - n, 0);
  return square * number(n) * number(n) * number(n) / kDiagonalSpeed + solve_cost(below, n);
}

}  // namespace

std::vector<int> cholesky_priorities(const TileGrid& a) {
  Plan plan(a);
  for (int k = 0; k < a.tile_cols(); ++k) {
    const int top = a.diagonal(k);
    const std::int64_t inner = a.cols_of(k);
    plan.add(diagonal_cost(a, k, 1.0 / 3), {plan.write(top, k), plan.read_extra(k)});
    for (int i = top + 1; i < a.tile_rows(); ++i) {
      plan.add(solve_cost(a.rows_of(i), inner), {plan.read(top, k), plan.write(i, k), plan.read_extra(k)});
    }
    plan.finish_panel(k);
    for (int j = k + 1; j < a.tile_cols(); ++j) {
      const int diagonal = a.diagonal(j);
      const std::int64_t n = a.cols_of(j);
      plan.add(product_cost(rows_from_diagonal(a, j), n, inner) - number(n) * number(n) * number(inner),
               {plan.read(diagonal, k), plan.write(diagonal, j), plan.read_extra(k)});
      for (int i = diagonal + 1; i < a.tile_rows(); ++i) {
        plan.add(product_cost(a.rows_of(i), n, inner),
                 {plan.read(i, k), plan.read(diagonal, k), plan.write(i, j), plan.read_extra(k)});
      }
    }
  }
  return plan.priorities();
}

std::vector<int> lu_priorities(const TileGrid& a) {
  Plan plan(a);
  const int n = a.tile_cols();
  std::vector<double> swap_costs(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) {
    const int top = a.diagonal(k);
    const std::int64_t inner = a.cols_of(k);
    const std::int64_t panel_rows = a.rows - k * a.tile.cols;
    plan.add_on_column((number(panel_rows) - number(inner) / 3) * number(inner) * number(inner) / kPanelSpeed, top, k,
                       {plan.write_extra(k)});
    for (int j = k + 1; j < n; ++j) {
      const std::int64_t below = std::max<std::int64_t>(rows_from_diagonal(a, k) - inner, 0);
      plan.add_on_column(solve_cost(a.cols_of(j), inner) + product_cost(below, a.cols_of(j), inner), top, j,
                         {plan.read(top, k), plan.read_extra(k)});
      for (int i = top + 1; i < a.tile_rows(); ++i) {
        plan.add(product_cost(a.rows_of(i), a.cols_of(j), inner),
                 {plan.read(i, k), plan.read(top, j), plan.write(i, j)});
      }
    }
  }
  for (int j = 0; j + 1 < n; ++j) {
    // A core can do about this many operations in the time in which it moves one element. The task, which exchanges
    // rows of L, waits for the pivots of the last panel.
    constexpr double kOperationsPerElement = 16;
    plan.add_on_column(kOperationsPerElement * number(a.rows) * number(a.cols_of(j)), a.diagonal(j + 1), j,
                       {plan.read_extra(n - 1)});
  }
  return plan.priorities();
}

std::vector<int> lu_without_pivoting_priorities(const TileGrid& a) {
  Plan plan(a);
  for (int k = 0; k < a.tile_cols(); ++k) {
    const int top = a.diagonal(k);
    const std::int64_t inner = a.cols_of(k);
    const std::int64_t below = std::max<std::int64_t>(rows_from_diagonal(a, k) - inner, 0);
    plan.add(diagonal_cost(a, k, 2.0 / 3), {plan.write(top, k), plan.read_extra(k)});
    for (int i = top + 1; i < a.tile_rows(); ++i) {
      plan.add(solve_cost(a.rows_of(i), inner), {plan.read(top, k), plan.write(i, k), plan.read_extra(k)});
    }
    plan.finish_panel(k);
    for (int j = k + 1; j < a.tile_cols(); ++j) {
      plan.add(solve_cost(a.cols_of(j), inner) + product_cost(below, a.cols_of(j), inner),
               {plan.read(top, k), plan.write(top, j), plan.read_extra(k)});
      for (int i = top + 1; i < a.tile_rows(); ++i) {
        plan.add(product_cost(a.rows_of(i), a.cols_of(j), inner),
                 {plan.read(i, k), plan.read(top, j), plan.write(i, j), plan.read_extra(k)});
      }
    }
  }
  return plan.priorities();
}

std::vector<int> qr_priorities(const TileGrid& a) {
  Plan plan(a);
  const int n = a.tile_cols();
  const int m = a.tile_rows();
  for (int k = 0; k < n; ++k) {
    const int top = a.diagonal(k);
    const double rows = number(rows_from_diagonal(a, k));
    const double inner = number(a.cols_of(k));
    plan.add(2 * inner * inner * (rows - inner / 3) / kReflectorSpeed, {plan.write(top, k), plan.write_extra(k)});
    for (int j = k + 1; j < n; ++j) {
      plan.add(2 * number(a.cols_of(j)) * inner * (2 * rows - inner) / kSolveSpeed,
               {plan.read_extra(k), plan.write(top, j)});
    }
    for (int i = top + 1; i < m; ++i) {
      plan.add(2 * number(a.rows_of(i)) * inner * inner / kReflectorSpeed, {plan.write(top, k), plan.write(i, k)});
      for (int j = k + 1; j < n; ++j) {
        plan.add(4 * number(a.rows_of(i)) * inner * number(a.cols_of(j)) / kSolveSpeed,
                 {plan.read(i, k), plan.write(top, j), plan.write(i, j)});
      }
    }
  }
  return plan.priorities();
}

std::vector<int> lu_incremental_priorities(const TileGrid& a) {
  // The graph is the same as for QR, except that every task of QR has twice as many operations. Ranks depend only on
  // the ratios of costs.
  return qr_priorities(a);
}

}  // namespace troupe::linalg
