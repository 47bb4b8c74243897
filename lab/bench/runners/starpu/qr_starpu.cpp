/// Tile QR in place, with the same task graph as linalg/qr.cpp.
#include <algorithm>
#include <deque>
#include <vector>

#include "kernels/codelets.hpp"
#include "kernels/factor.hpp"
#include "lab/bench/runners/starpu/codelets_starpu.hpp"
#include "lab/bench/runners/starpu/factors_starpu.hpp"
#include "lab/bench/runners/starpu/tiles_starpu.hpp"
#include "linalg/tile_priorities.hpp"

namespace troupe::bench {
namespace {

using kernels::codelets;

class StarpuQr : public Factors {
 public:
  StarpuQr(Matrix& a, const linalg::FactorizationOptions& options)
      : r_(a), tiles_(a.values.data(), a.rows, a.cols, options.tile_rows, options.tile) {
    for (int k = 0; k < tiles_.tile_cols(); ++k) {
      const std::int64_t cols = tiles_.cols_of(k);
      const std::int64_t inner = std::min(options.inner, cols);
      const int top = tiles_.diagonal(k);
      const std::int64_t rows = tiles_.rows_of(top) - tiles_.diagonal_offset(k);
      t_.emplace_back(nullptr, (tiles_.tile_rows() - top) * inner, cols, inner, cols);
      v_.emplace_back(nullptr, rows, cols, rows, cols);
    }
    const std::vector<int> priorities = linalg::qr_priorities({a.rows, a.cols, {options.tile_rows, options.tile}});
    auto priority = priorities.begin();
    for (int k = 0; k < tiles_.tile_cols(); ++k) submit_step(k, priority);
    starpu_task_wait_for_all();
  }

  void solve(Matrix& b) override {
    const auto& kernel = codelets<double>();
    {
      const StarpuTiles c(b.values.data(), b.rows, 1, tiles_.height(), 1);
      for (int k = 0; k < tiles_.tile_cols(); ++k) {
        const int top = tiles_.diagonal(k);
        tasks_.submit(kernel.gemqrt_transposed, {v(k), t(k, 0), c(top, 0)});
        for (int i = top + 1; i < tiles_.tile_rows(); ++i) {
          tasks_.submit(kernel.tpmqrt_transposed, {tiles_(i, k), t(k, i - top), c(top, 0), c(i, 0)},
                        args(tiles_.diagonal_offset(k)));
        }
      }
      starpu_task_wait_for_all();
    }
    kernels::solve_triangular('L', 'U', 'N', 'N', const_view(r_), view(b));
  }

 private:
  [[nodiscard]] const starpu_data_handle_t& t(int k, int below) const {
    return t_[static_cast<std::size_t>(k)](below, 0);
  }
  [[nodiscard]] const starpu_data_handle_t& v(int k) const { return v_[static_cast<std::size_t>(k)](0, 0); }

  void submit_step(int k, std::vector<int>::const_iterator& priority) {
    const auto& kernel = codelets<double>();
    const StarpuTiles& a = tiles_;
    const int n = a.tile_cols();
    const int m = a.tile_rows();
    const int top = a.diagonal(k);
    const std::int64_t offset = a.diagonal_offset(k);
    tasks_.submit(kernel.geqrt, {a(top, k), t(k, 0), v(k)}, {}, *priority++);
    for (int j = k + 1; j < n; ++j) {
      tasks_.submit(kernel.gemqrt_transposed, {v(k), t(k, 0), a(top, j)}, {}, *priority++);
    }
    for (int i = top + 1; i < m; ++i) {
      tasks_.submit(kernel.tpqrt, {a(top, k), a(i, k), t(k, i - top)}, args(offset), *priority++);
      for (int j = k + 1; j < n; ++j) {
        tasks_.submit(kernel.tpmqrt_transposed, {a(i, k), t(k, i - top), a(top, j), a(i, j)}, args(offset),
                      *priority++);
      }
    }
  }

  const Matrix& r_;
  CodeletTasks tasks_;
  StarpuTiles tiles_;
  /// The factors T of each block column, from the diagonal downwards.
  std::deque<StarpuTiles> t_;
  /// For each tile on the diagonal, a copy of its vectors, because other tasks need the tile's upper triangle at the
  /// same time.
  std::deque<StarpuTiles> v_;
};

}  // namespace

std::unique_ptr<Factors> starpu_qr(Matrix& a, const linalg::FactorizationOptions& options) {
  return std::make_unique<StarpuQr>(a, options);
}

}  // namespace troupe::bench
