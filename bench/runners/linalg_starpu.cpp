/// Tile factorizations as a user of StarPU writes them: one task per kernel call, priorities by critical path. Kernels,
/// tiles, graphs and priorities are those of apps/.
///
/// Cholesky and LU work in place, on handles with the matrix's leading dimension: copying would cost StarPU as much as
/// it costs Troupe. A task on a block column names all tiles of the column, which gives StarPU the dependencies at once
/// where partitions would have to be switched. QR copies tiles to where they are contiguous, and back, as Troupe does.
#include <array>
#include <deque>
#include <stdexcept>
#include <string>

#include "apps/factorization.hpp"
#include "bench/factorization_case.hpp"
#include "bench/runners/cases.hpp"
#include "bench/runners/codelets_starpu.hpp"
#include "bench/runners/session_starpu.hpp"
#include "bench/runners/tiles_starpu.hpp"
#include "kernels/blas_threads.hpp"
#include "kernels/codelets.hpp"
#include "kernels/factor.hpp"

namespace troupe::bench {
namespace {

using kernels::codelets;

MatrixView<double> view(Matrix& a) { return {a.values.data(), a.rows, a.cols, a.rows}; }
MatrixView<const double> view(const Matrix& a) { return {a.values.data(), a.rows, a.cols, a.rows}; }

/// Tile sizes as Troupe chooses them.
apps::FactorizationOptions options_for(const FactorizationCase& options, std::int64_t n) {
  apps::FactorizationOptions result;
  result.application = static_cast<apps::Application>(options.algorithm);
  result.tile = options.tile > 0 ? options.tile : apps::default_tile(n);
  result.tile_rows = options.tile_rows > 0 ? options.tile_rows
                                           : apps::default_tile_rows(result.application, n, result.tile,
                                                                     static_cast<std::size_t>(options.cores));
  if (options.inner > 0) result.inner = options.inner;
  return result;
}

class StarpuCholesky : public Factors {
 public:
  StarpuCholesky(Matrix& a, const apps::FactorizationOptions& options)
      : l_(a), tiles_(a.values.data(), a.rows, a.cols, options.tile_rows, options.tile) {
    for (int k = 0; k < tiles_.tile_cols(); ++k) submit_step(k);
    starpu_task_wait_for_all();
  }
  void solve(Matrix& b) override {
    kernels::solve_triangular('L', 'L', 'N', 'N', view(std::as_const(l_)), view(b));
    kernels::solve_triangular('L', 'L', 'T', 'N', view(std::as_const(l_)), view(b));
  }

 private:
  void submit_step(int k) {
    const auto& kernel = codelets<double>();
    const StarpuTiles& a = tiles_;
    const int top = a.diagonal(k);
    const std::int64_t offset = a.diagonal_offset(k);
    const int step = -10 * k;
    tasks_.submit(kernel.potrf, {a(top, k)}, args(offset, k * a.width()), step + 9);
    for (int i = top + 1; i < a.tile_rows(); ++i) {
      tasks_.submit(kernel.trsm_cholesky, {a(top, k), a(i, k)}, args(offset), step + 8);
    }
    for (int j = k + 1; j < a.tile_cols(); ++j) {
      const int diagonal = a.diagonal(j);
      const std::int64_t row = a.diagonal_offset(j);
      const int priority = j == k + 1 ? step + 7 : step - 5 * (j - k - 1);
      tasks_.submit(kernel.syrk, {a(diagonal, k), a(diagonal, j)}, args(row), priority);
      for (int i = diagonal + 1; i < a.tile_rows(); ++i) {
        tasks_.submit(kernel.gemm_nt, {a(i, k), a(diagonal, k), a(i, j)}, args(row), priority);
      }
    }
  }

  const Matrix& l_;
  CodeletTasks tasks_;
  StarpuTiles tiles_;
};

/// The pivots of every panel are data of their own.
class StarpuPivots {
 public:
  StarpuPivots(std::int64_t rows, std::int64_t panel) : rows_(static_cast<std::size_t>(rows)) {
    for (std::int64_t i = 0; i < rows; i += panel) {
      const auto count = static_cast<std::uint32_t>(std::min(panel, rows - i));
      starpu_matrix_data_register(&panels_.emplace_back(), STARPU_MAIN_RAM,
                                  reinterpret_cast<std::uintptr_t>(&rows_[static_cast<std::size_t>(i)]), count, count,
                                  1, sizeof(int));
    }
  }
  StarpuPivots(const StarpuPivots&) = delete;
  StarpuPivots& operator=(const StarpuPivots&) = delete;
  ~StarpuPivots() {
    for (const starpu_data_handle_t panel : panels_) starpu_data_unregister(panel);
  }
  [[nodiscard]] const starpu_data_handle_t& panel(int k) const { return panels_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::span<const starpu_data_handle_t> all() const { return panels_; }
  [[nodiscard]] const std::vector<int>& rows() const { return rows_; }

 private:
  std::vector<int> rows_;
  std::vector<starpu_data_handle_t> panels_;
};

class StarpuLu : public Factors {
 public:
  StarpuLu(Matrix& a, const apps::FactorizationOptions& options)
      : lu_(a),
        tiles_(a.values.data(), a.rows, a.cols, options.tile_rows, options.tile),
        pivots_(a.rows, options.tile) {
    for (int k = 0; k < tiles_.tile_cols(); ++k) submit_step(k);
    for (int j = 0; j + 1 < tiles_.tile_cols(); ++j) {
      tasks_.submit(codelets<double>().swap_rows, {pivots_.all(), tiles_.column(j)}, args((j + 1) * tiles_.width()));
    }
    starpu_task_wait_for_all();
  }
  void solve(Matrix& b) override {
    for (std::size_t i = 0; i < pivots_.rows().size(); ++i) {
      std::swap(b.values[i], b.values[static_cast<std::size_t>(pivots_.rows()[i])]);
    }
    kernels::solve_triangular('L', 'L', 'N', 'U', view(std::as_const(lu_)), view(b));
    kernels::solve_triangular('L', 'U', 'N', 'N', view(std::as_const(lu_)), view(b));
  }

 private:
  void submit_step(int k) {
    const auto& kernel = codelets<double>();
    const StarpuTiles& a = tiles_;
    const int top = a.diagonal(k);
    const std::int64_t offset = a.diagonal_offset(k);
    const std::int64_t first = k * a.width();
    const int step = -10 * k;
    tasks_.submit(kernel.getrf_panel, {a.column(k), pivots_.panel(k)}, args(first), step + 9);
    for (int j = k + 1; j < a.tile_cols(); ++j) {
      const int priority = j == k + 1 ? step + 7 : step - 5 * (j - k - 1);
      tasks_.submit(kernel.swap_and_solve, {a(top, k), pivots_.panel(k), a.column(j)}, args(offset, first),
                    priority + 1);
      for (int i = top + 1; i < a.tile_rows(); ++i) {
        tasks_.submit(kernel.gemm_nn, {a(i, k), a(top, j), a(i, j)}, args(offset), priority);
      }
    }
  }

  const Matrix& lu_;
  CodeletTasks tasks_;
  StarpuTiles tiles_;
  StarpuPivots pivots_;
};

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
  StarpuQr(Matrix& a, const apps::FactorizationOptions& options)
      : r_(a), tiles_(nullptr, a.rows, a.cols, options.tile, options.tile) {
    for (int k = 0; k < tiles_.tile_cols(); ++k) {
      const std::int64_t cols = tiles_.cols_of(k);
      const std::int64_t inner = std::min(options.inner, cols);
      t_.emplace_back(nullptr, (tiles_.tile_rows() - k) * inner, cols, inner, cols);
      v_.emplace_back(nullptr, tiles_.rows_of(k), cols, tiles_.rows_of(k), cols);
    }
    copy_tiles(a, gather());
    for (int k = 0; k < tiles_.tile_cols(); ++k) submit_step(k);
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
    kernels::solve_triangular('L', 'U', 'N', 'N', view(std::as_const(r_)), view(b));
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

  void submit_step(int k) {
    const auto& kernel = codelets<double>();
    const StarpuTiles& a = tiles_;
    const int n = a.tile_cols();
    const int m = a.tile_rows();
    const int urgent = 3 * (n - k) + m;
    tasks_.submit(kernel.geqrt, {a(k, k), t(k, k), v(k)}, {}, urgent);
    for (int j = k + 1; j < n; ++j) {
      tasks_.submit(kernel.gemqrt_transposed, {v(k), t(k, k), a(k, j)}, {}, urgent - 3 * (j - k));
    }
    for (int i = k + 1; i < m; ++i) {
      tasks_.submit(kernel.tpqrt, {a(k, k), a(i, k), t(i, k)}, {}, urgent - (i - k));
      for (int j = k + 1; j < n; ++j) {
        tasks_.submit(kernel.tpmqrt_transposed, {a(i, k), t(i, k), a(k, j), a(i, j)}, {},
                      urgent - 3 * (j - k) - (i - k));
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

std::unique_ptr<Factors> factorize(Matrix& a, const apps::FactorizationOptions& options) {
  switch (options.application) {
    case apps::Application::cholesky: return std::make_unique<StarpuCholesky>(a, options);
    case apps::Application::lu: return std::make_unique<StarpuLu>(a, options);
    case apps::Application::qr: return std::make_unique<StarpuQr>(a, options);
  }
  return nullptr;
}

}  // namespace

nlohmann::json linalg(Parameters& parameters) {
  const FactorizationCase options = factorization_case(parameters);
  const std::string scheduler = parameters.text("scheduler", "lws");
  parameters.require_all_used();
  // Those that need no performance models.
  constexpr std::array kSchedulers{"lws", "ws", "prio", "eager"};
  if (std::find(kSchedulers.begin(), kSchedulers.end(), scheduler) == kSchedulers.end()) {
    throw BadParameter("scheduler=" + scheduler + ": lws, ws, prio or eager");
  }
  const auto single_threaded = kernels::single_threaded_blas();
  const StarpuSession session(options.cores, 0, scheduler.c_str());
  nlohmann::json figures =
      measure_factorization(options, [&](Matrix& a) { return factorize(a, options_for(options, a.rows)); });
  figures["tile"] = options_for(options, options.n).tile;
  figures["tile_rows"] = options_for(options, options.n).tile_rows;
  return figures;
}

}  // namespace troupe::bench
