/// Tile QR, the graph of linalg/qr.cpp, on copies of the tiles that are contiguous, as Troupe does.
#include <algorithm>
#include <deque>
#include <vector>

#include "bench/runners/starpu/codelets_starpu.hpp"
#include "bench/runners/starpu/factors_starpu.hpp"
#include "bench/runners/starpu/tiles_starpu.hpp"
#include "kernels/codelets.hpp"
#include "kernels/factor.hpp"
#include "linalg/tile_priorities.hpp"

namespace troupe::bench {
namespace {

using kernels::codelets;

void copy(MatrixView<const double> from, MatrixView<double> to) {
  for (std::int64_t j = 0; j < from.cols; ++j) std::copy_n(from.data + j * from.ld, from.rows, to.data + j * to.ld);
}

const Codelet& gather() {
  static const Codelet codelet =
      Codelet("gather", {AccessMode::write}).cpu([](MatrixView<double> tile, const double* from, std::int64_t ld) {
        copy({from, tile.rows, tile.cols, ld}, tile);
      });
  return codelet;
}

const Codelet& scatter() {
  static const Codelet codelet =
      Codelet("scatter", {AccessMode::read}).cpu([](MatrixView<const double> tile, double* to, std::int64_t ld) {
        copy(tile, {to, tile.rows, tile.cols, ld});
      });
  return codelet;
}

class StarpuQr : public Factors {
 public:
  StarpuQr(Matrix& a, const linalg::FactorizationOptions& options)
      : r_(a), tiles_(nullptr, a.rows, a.cols, options.tile, options.tile) {
    for (int k = 0; k < tiles_.tile_cols(); ++k) {
      const std::int64_t cols = tiles_.cols_of(k);
      const std::int64_t inner = std::min(options.inner, cols);
      t_.emplace_back(nullptr, (tiles_.tile_rows() - k) * inner, cols, inner, cols);
      v_.emplace_back(nullptr, tiles_.rows_of(k), cols, tiles_.rows_of(k), cols);
    }
    copy_tiles(a, gather());
    const std::vector<int> priorities = linalg::qr_priorities({a.rows, a.cols, options.tile});
    auto priority = priorities.begin();
    for (int k = 0; k < tiles_.tile_cols(); ++k) submit_step(k, priority);
    copy_tiles(a, scatter());
    starpu_task_wait_for_all();
  }

  void solve(Matrix& b) override {
    const auto& kernel = codelets<double>();
    {
      const StarpuTiles c(b.values.data(), b.rows, 1, tiles_.width(), 1);
      for (int k = 0; k < tiles_.tile_cols(); ++k) {
        tasks_.submit(kernel.gemqrt_transposed, {v(k), t(k, k), c(k, 0)});
        for (int i = k + 1; i < tiles_.tile_rows(); ++i) {
          tasks_.submit(kernel.tpmqrt_transposed, {tiles_(i, k), t(i, k), c(k, 0), c(i, 0)});
        }
      }
      starpu_task_wait_for_all();
    }
    kernels::solve_triangular('L', 'U', 'N', 'N', const_view(r_), view(b));
  }

 private:
  [[nodiscard]] const starpu_data_handle_t& t(int i, int k) const { return t_[static_cast<std::size_t>(k)](i - k, 0); }
  [[nodiscard]] const starpu_data_handle_t& v(int k) const { return v_[static_cast<std::size_t>(k)](0, 0); }

  void copy_tiles(Matrix& a, const Codelet& codelet) {
    const std::int64_t tile = tiles_.width();
    for (int j = 0; j < tiles_.tile_cols(); ++j) {
      for (int i = 0; i < tiles_.tile_rows(); ++i) {
        double* const place = &a(i * tile, j * tile);
        if (&codelet == &gather()) {
          tasks_.submit(codelet, {tiles_(i, j)}, args(static_cast<const double*>(place), a.rows));
        } else {
          tasks_.submit(codelet, {tiles_(i, j)}, args(place, a.rows));
        }
      }
    }
  }

  void submit_step(int k, std::vector<int>::const_iterator& priority) {
    const auto& kernel = codelets<double>();
    const StarpuTiles& a = tiles_;
    const int n = a.tile_cols();
    const int m = a.tile_rows();
    tasks_.submit(kernel.geqrt, {a(k, k), t(k, k), v(k)}, {}, *priority++);
    for (int j = k + 1; j < n; ++j) {
      tasks_.submit(kernel.gemqrt_transposed, {v(k), t(k, k), a(k, j)}, {}, *priority++);
    }
    for (int i = k + 1; i < m; ++i) {
      tasks_.submit(kernel.tpqrt, {a(k, k), a(i, k), t(i, k)}, {}, *priority++);
      for (int j = k + 1; j < n; ++j) {
        tasks_.submit(kernel.tpmqrt_transposed, {a(i, k), t(i, k), a(k, j), a(i, j)}, {}, *priority++);
      }
    }
  }

  const Matrix& r_;
  CodeletTasks tasks_;
  StarpuTiles tiles_;
  /// Of every block column, from the diagonal downwards.
  std::deque<StarpuTiles> t_;
  /// A copy of the vectors in every tile on the diagonal, whose upper triangle is wanted at the same time.
  std::deque<StarpuTiles> v_;
};

}  // namespace

std::unique_ptr<Factors> starpu_qr(Matrix& a, const linalg::FactorizationOptions& options) {
  return std::make_unique<StarpuQr>(a, options);
}

}  // namespace troupe::bench
