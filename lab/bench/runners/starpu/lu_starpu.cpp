/// Tile LU with partial pivoting in place, with the same task graph as linalg/lu.cpp. A task on a block column names
/// all tiles of the column as its data. So StarPU gets the dependencies directly; otherwise the program would have to
/// switch between partitions of the matrix.
#include <algorithm>
#include <span>
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

/// The pivots of LU. The pivots of each panel are a separate piece of data.
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
  /// Returns the handles of the pivots from panel k to the last panel.
  [[nodiscard]] std::span<const starpu_data_handle_t> from(int k) const {
    return std::span(panels_).subspan(static_cast<std::size_t>(k));
  }
  [[nodiscard]] const std::vector<int>& rows() const { return rows_; }

 private:
  std::vector<int> rows_;
  std::vector<starpu_data_handle_t> panels_;
};

class StarpuLu : public Factors {
 public:
  StarpuLu(Matrix& a, const linalg::FactorizationOptions& options)
      : lu_(a),
        tiles_(a.values.data(), a.rows, a.cols, options.tile_rows, options.tile),
        pivots_(a.rows, options.tile) {
    const std::vector<int> priorities = linalg::lu_priorities({a.rows, a.cols, {options.tile_rows, options.tile}});
    auto priority = priorities.begin();
    for (int k = 0; k < tiles_.tile_cols(); ++k) submit_step(k, priority);
    for (int j = 0; j + 1 < tiles_.tile_cols(); ++j) {
      const int top = tiles_.diagonal(j + 1);
      tasks_.submit(codelets<double>().swap_rows,
                    {{pivots_.from(j + 1), AccessMode::read}, {tiles_.column(j, top), AccessMode::read_write}},
                    args(tiles_.diagonal_offset(j + 1), (j + 1) * tiles_.width()), *priority++);
    }
    starpu_task_wait_for_all();
  }
  void solve(Matrix& b) override {
    for (std::size_t i = 0; i < pivots_.rows().size(); ++i) {
      std::swap(b.values[i], b.values[static_cast<std::size_t>(pivots_.rows()[i])]);
    }
    kernels::solve_triangular('L', 'L', 'N', 'U', const_view(lu_), view(b));
    kernels::solve_triangular('L', 'U', 'N', 'N', const_view(lu_), view(b));
  }

 private:
  void submit_step(int k, std::vector<int>::const_iterator& priority) {
    const auto& kernel = codelets<double>();
    const StarpuTiles& a = tiles_;
    const int top = a.diagonal(k);
    const std::int64_t offset = a.diagonal_offset(k);
    const std::int64_t first = k * a.width();
    tasks_.submit(kernel.getrf_panel,
                  {{pivots_.panel(k), AccessMode::write}, {a.column(k, top), AccessMode::read_write}},
                  args(offset, first), *priority++);
    for (int j = k + 1; j < a.tile_cols(); ++j) {
      tasks_.submit(kernel.swap_and_solve,
                    {{a(top, k), AccessMode::read},
                     {pivots_.panel(k), AccessMode::read},
                     {a.column(j, top), AccessMode::read_write}},
                    args(offset, first), *priority++);
      for (int i = top + 1; i < a.tile_rows(); ++i) {
        tasks_.submit(kernel.gemm_nn, {a(i, k), a(top, j), a(i, j)}, args(offset), *priority++);
      }
    }
  }

  const Matrix& lu_;
  CodeletTasks tasks_;
  StarpuTiles tiles_;
  StarpuPivots pivots_;
};

}  // namespace

std::unique_ptr<Factors> starpu_lu(Matrix& a, const linalg::FactorizationOptions& options) {
  return std::make_unique<StarpuLu>(a, options);
}

}  // namespace troupe::bench
