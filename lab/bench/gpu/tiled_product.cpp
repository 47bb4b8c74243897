#include "lab/bench/gpu/tiled_product.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "kernels/codelets.hpp"
#include "lab/bench/gpu/cuda_peers.hpp"
#include "proto/random.hpp"

namespace troupe::bench {

namespace {

using kernels::codelets;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSeedOfA = 11;
constexpr std::uint64_t kSeedOfB = 12;
constexpr std::uint64_t kSeedOfC = 13;

double largest(const std::vector<double>& values) {
  double result = 0;
  for (const double value : values) result = std::isnan(value) ? value : std::max(result, std::abs(value));
  return result;
}

/// A vector in the program's memory, divided into tiles.
struct TiledVector {
  TiledVector(Runtime& runtime, std::int64_t n, std::int64_t tile)
      : values(static_cast<std::size_t>(n)),
        tiles(TiledMatrix<double>::in_tiles(runtime, values.data(), n, 1, TileSize(tile, 1))) {}

  void bring_home(Runtime& runtime) {
    for (int i = 0; i < tiles.tile_rows(); ++i) (void)runtime.acquire(tiles(i, 0), AccessMode::read_write);
  }

  std::vector<double> values;
  TiledMatrix<double> tiles;
};

}  // namespace

TiledProduct::TiledProduct(Runtime& runtime, std::int64_t n, std::int64_t tile)
    : runtime_(runtime),
      n_(n),
      tile_(tile),
      a_(runtime, n, tile, TilePart::all, "A"),
      b_(runtime, n, tile, TilePart::all, "B"),
      c_(runtime, n, tile, TilePart::all, "C") {}

double TiledProduct::multiply() {
  a_.generate(kSeedOfA, 0);
  b_.generate(kSeedOfB, 0);
  c_.generate(kSeedOfC, 0);
  runtime_.wait();
  for (TilesOfMemory* matrix : {&a_, &b_, &c_}) matrix->bring_home(AccessMode::read_write);
  const auto start = Clock::now();
  const int across = c_.tiles().tile_cols();
  for (int j = 0; j < across; ++j) {
    for (int i = 0; i < across; ++i) {
      for (int k = 0; k < across; ++k) {
        runtime_.submit(codelets<double>().gemm_nn, {a_.tiles()(i, k), b_.tiles()(k, j), c_.tiles()(i, j)},
                        args(std::int64_t{0}));
      }
    }
  }
  // Each tile is copied to host memory when it is finished.
  c_.bring_home(AccessMode::read);
  runtime_.wait();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void TiledProduct::subtract_product(TiledMatrix<double>& m, const TiledMatrix<double>& x,
                                    const TiledMatrix<double>& y) {
  for (int j = 0; j < m.tile_cols(); ++j) {
    for (int i = 0; i < m.tile_rows(); ++i) {
      runtime_.submit(codelets<double>().gemm_nn, {m(i, j), x(j, 0), y(i, 0)}, args(std::int64_t{0}));
    }
  }
}

double TiledProduct::residual() {
  TiledVector x(runtime_, n_, tile_);
  TiledVector minus_x(runtime_, n_, tile_);
  TiledVector minus_bx(runtime_, n_, tile_);
  TiledVector r(runtime_, n_, tile_);
  Random random(14);
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    x.values[i] = static_cast<double>(random.next() >> 11U) * 0x1p-53 - 0.5;
    minus_x.values[i] = -x.values[i];
  }
  // Computes R = C X - C' X + A B X. C' is generated again in the memory of C.
  subtract_product(c_.tiles(), minus_x.tiles, r.tiles);
  subtract_product(b_.tiles(), x.tiles, minus_bx.tiles);
  subtract_product(a_.tiles(), minus_bx.tiles, r.tiles);
  c_.generate(kSeedOfC, 0);
  subtract_product(c_.tiles(), x.tiles, r.tiles);
  runtime_.wait();
  r.bring_home(runtime_);
  const auto n = static_cast<double>(n_);
  return largest(r.values) / (n * (n / 4) * (n / 4) * largest(x.values) * 0x1p-53);
}

double TiledProduct::multiply_by_cublasxt() {
  for (TilesOfMemory* matrix : {&a_, &b_, &c_}) matrix->bring_home(AccessMode::read_write);
  return cublasxt_product(n_, a_.data(), b_.data(), c_.data(), static_cast<int>(tile_));
}

}  // namespace troupe::bench
