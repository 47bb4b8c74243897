/// Tile Cholesky in place, with the same task graph as linalg/cholesky.cpp.
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

class StarpuCholesky : public Factors {
 public:
  StarpuCholesky(Matrix& a, const linalg::FactorizationOptions& options)
      : l_(a), tiles_(a.values.data(), a.rows, a.cols, options.tile_rows, options.tile) {
    const std::vector<int> priorities =
        linalg::cholesky_priorities({a.rows, a.cols, {options.tile_rows, options.tile}});
    auto priority = priorities.begin();
    for (int k = 0; k < tiles_.tile_cols(); ++k) submit_step(k, priority);
    starpu_task_wait_for_all();
  }
  void solve(Matrix& b) override {
    kernels::solve_triangular('L', 'L', 'N', 'N', const_view(l_), view(b));
    kernels::solve_triangular('L', 'L', 'T', 'N', const_view(l_), view(b));
  }

 private:
  void submit_step(int k, std::vector<int>::const_iterator& priority) {
    const auto& kernel = codelets<double>();
    const StarpuTiles& a = tiles_;
    const int top = a.diagonal(k);
    const std::int64_t offset = a.diagonal_offset(k);
    tasks_.submit(kernel.potrf, {a(top, k)}, args(offset, k * a.width()), *priority++);
    for (int i = top + 1; i < a.tile_rows(); ++i) {
      tasks_.submit(kernel.trsm_cholesky, {a(top, k), a(i, k)}, args(offset), *priority++);
    }
    for (int j = k + 1; j < a.tile_cols(); ++j) {
      const int diagonal = a.diagonal(j);
      const std::int64_t row = a.diagonal_offset(j);
      tasks_.submit(kernel.syrk, {a(diagonal, k), a(diagonal, j)}, args(row), *priority++);
      for (int i = diagonal + 1; i < a.tile_rows(); ++i) {
        tasks_.submit(kernel.gemm_nt, {a(i, k), a(diagonal, k), a(i, j)}, args(row), *priority++);
      }
    }
  }

  const Matrix& l_;
  CodeletTasks tasks_;
  StarpuTiles tiles_;
};

}  // namespace

std::unique_ptr<Factors> starpu_cholesky(Matrix& a, const linalg::FactorizationOptions& options) {
  return std::make_unique<StarpuCholesky>(a, options);
}

}  // namespace troupe::bench
