#include "lab/bench/gpu/generated_system.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/codelets.hpp"
#include "linalg/cholesky.hpp"

namespace troupe::bench {

namespace {

using kernels::codelets;

/// Fills the right-hand side with the first column of a second generated matrix.
void fill_right_hand_side(Runtime& runtime, const GeneratedSystem& system, TiledMatrix<double>& b) {
  for (int i = 0; i < b.tile_rows(); ++i) {
    runtime.submit(codelets<double>().fill_symmetric, {b(i, 0)},
                   args(i * system.tile, std::int64_t{0}, system.seed + 1, 0.0));
  }
}

/// Computes R <- R - A X.
void subtract_product(Runtime& runtime, const GeneratedSystem& system, const TiledMatrix<double>& x,
                      TiledMatrix<double>& r) {
  constexpr std::size_t kScratch = 4;  // Several tasks work at the same time.
  std::vector<Data> scratch;
  for (std::size_t i = 0; i < kScratch; ++i) {
    scratch.push_back(runtime.allocate_matrix<double>(system.tile, system.tile, "A"));
  }
  const std::int64_t whole = 0;
  std::size_t next = 0;
  for (int j = 0; j < x.tile_rows(); ++j) {
    for (int i = j; i < x.tile_rows(); ++i) {
      const Data& a = scratch[next++ % kScratch];
      runtime.submit(codelets<double>().fill_symmetric, {a},
                     args(i * system.tile, j * system.tile, system.seed, system.diagonal()));
      runtime.submit(codelets<double>().gemm_nn, {a, x(j, 0), r(i, 0)}, args(whole));
      if (i != j) runtime.submit(codelets<double>().gemm_tn, {a, x(i, 0), r(j, 0)}, args(whole));
    }
  }
}

double largest(Runtime& runtime, const TiledMatrix<double>& vector) {
  double result = 0;
  for (int i = 0; i < vector.tile_rows(); ++i) {
    const HostAccess access = runtime.acquire(vector(i, 0), AccessMode::read);
    for (const double value : access.vector<const double>()) {
      result = std::isnan(value) ? value : std::max(result, std::abs(value));
    }
  }
  return result;
}

}  // namespace

double residual_of(Runtime& runtime, const GeneratedSystem& system, const TiledMatrix<double>& l) {
  const TileSize tile(system.tile, 1);
  TiledMatrix<double> x(runtime, system.n, 1, tile, TileStorage::tiles, "x");
  TiledMatrix<double> r(runtime, system.n, 1, tile, TileStorage::tiles, "r");
  fill_right_hand_side(runtime, system, x);
  fill_right_hand_side(runtime, system, r);
  linalg::cholesky_solve(runtime, l, x);
  subtract_product(runtime, system, x, r);
  runtime.wait();
  return largest(runtime, r) / (static_cast<double>(system.n) * system.norm() * largest(runtime, x) * 0x1p-53);
}

}  // namespace troupe::bench
