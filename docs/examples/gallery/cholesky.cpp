// A tile Cholesky factorization in the twenty lines of a textbook, with kernels that come with Troupe. The order in
// which the tasks are submitted is that of the sequential algorithm; which of them run at the same time follows from
// the tiles that they read and write. (`linalg::cholesky` is this, with tall tiles, too.)
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <vector>

#include <troupe/kernels/codelets.hpp>

#include "picture.hpp"

using namespace troupe;

namespace {

void cholesky(Runtime& runtime, TiledMatrix<double>& a) {
  const auto& kernel = kernels::codelets<double>();
  const std::int64_t offset = 0;  // tiles are square: the diagonal enters each at its top
  const int tiles = a.tile_cols();
  for (int k = 0; k < tiles; ++k) {
    const std::int64_t first = k * a.tile().cols;
    runtime.submit(kernel.potrf, {a(k, k)}, args(offset, first), {.priority = 2});
    for (int i = k + 1; i < tiles; ++i) {
      runtime.submit(kernel.trsm_cholesky, {a(k, k), a(i, k)}, args(offset), {.priority = 1});
    }
    for (int j = k + 1; j < tiles; ++j) {
      runtime.submit(kernel.syrk, {a(j, k), a(j, j)}, args(offset));
      for (int i = j + 1; i < tiles; ++i) {
        runtime.submit(kernel.gemm_nt, {a(i, k), a(j, k), a(i, j)}, args(offset));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const gallery::Picture picture(argc, argv);
  constexpr std::int64_t n = 2048, tile = 256;
  // The element in row i and column j is the lesser of the two, from 1. Its factor has ones, and nothing else.
  std::vector<double> matrix(n * n);
  for (std::int64_t k = 0; k < n * n; ++k) matrix[k] = static_cast<double>(std::min(k % n, k / n) + 1);

  Runtime runtime(picture.options());
  auto a = TiledMatrix<double>::in_place(runtime, matrix.data(), n, n, n, tile);
  cholesky(runtime, a);
  runtime.wait();

  std::int64_t ones = 0;
  for (std::int64_t k = 0; k < n * n; ++k) ones += k % n >= k / n && matrix[k] == 1 ? 1 : 0;
  std::cout << ones << " of " << n * (n + 1) / 2 << " elements of the factor are one\n";
  picture.draw(runtime, "tile Cholesky, n = 2048");
}
