#include "linalg/sparse/block_solve.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "kernels/blas_threads.hpp"
#include "kernels/factor.hpp"
#include "kernels/products.hpp"
#include "proto/random.hpp"

namespace troupe::linalg {
namespace {

double length_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += std::abs(value);
  return sum;
}

enum class BlockTriangle { all, unit_lower, upper };

/// Computes y <- y + B x in double, where B is the whole block, or only its unit lower or its upper triangle.
template <class T>
void add_product(MatrixView<T> block, const double* x, double* y, BlockTriangle triangle = BlockTriangle::all) {
  for (std::int64_t j = 0; j < block.cols; ++j) {
    const bool lower = triangle == BlockTriangle::unit_lower;
    const std::int64_t first = lower ? j + 1 : 0;
    const std::int64_t end = triangle == BlockTriangle::upper ? j + 1 : block.rows;
    const double factor = x[j];
    if (lower) y[j] += factor;
    for (std::int64_t i = first; i < end; ++i) y[i] += factor * static_cast<double>(block(i, j));
  }
}

/// Returns L U x, for factors that include all fill-in.
template <class T>
std::vector<double> product_of_factors(const BlockMatrix<T>& lu, const std::vector<double>& x) {
  const auto b = static_cast<std::size_t>(lu.cut().block);
  std::vector<double> ux(x.size());
  std::vector<double> result(x.size());
  for (int i = 0; i < lu.blocks(); ++i) {
    lu.pattern().for_row(i, i, [&](int j) {
      add_product(lu.block(i, j), &x[static_cast<std::size_t>(j) * b], &ux[static_cast<std::size_t>(i) * b],
                  i == j ? BlockTriangle::upper : BlockTriangle::all);
    });
  }
  for (int i = 0; i < lu.blocks(); ++i) {
    lu.pattern().for_row(i, 0, [&](int j) {
      if (j > i) return;
      add_product(lu.block(i, j), &ux[static_cast<std::size_t>(j) * b], &result[static_cast<std::size_t>(i) * b],
                  i == j ? BlockTriangle::unit_lower : BlockTriangle::all);
    });
  }
  return result;
}

/// Returns L U x, block by block, for factors that were computed without the products that fill in empty blocks.
template <class T>
std::vector<double> product_of_kept(const BlockMatrix<T>& lu, const std::vector<double>& x) {
  const auto b = static_cast<std::size_t>(lu.cut().block);
  std::vector<double> result(x.size());
  std::vector<double> part(b);
  for (int i = 0; i < lu.blocks(); ++i) {
    lu.pattern().for_row(i, 0, [&](int j) {
      lu.pattern().for_row(i, 0, [&](int k) {
        if (k > std::min(i, j) || !lu.pattern().full(k, j)) return;
        std::ranges::fill(part, 0.0);
        add_product(lu.block(k, j), &x[static_cast<std::size_t>(j) * b], part.data(),
                    k == j ? BlockTriangle::upper : BlockTriangle::all);
        add_product(lu.block(i, k), part.data(), &result[static_cast<std::size_t>(i) * b],
                    i == k ? BlockTriangle::unit_lower : BlockTriangle::all);
      });
    });
  }
  return result;
}

template <class T>
double one_norm_of(const BlockMatrix<T>& a) {
  std::vector<double> sums(static_cast<std::size_t>(a.rows()));
  for (int i = 0; i < a.blocks(); ++i) {
    a.pattern().for_row(i, 0, [&](int j) {
      const MatrixView<T> block = a.block(i, j);
      for (std::int64_t col = 0; col < block.cols; ++col) {
        double& sum = sums[static_cast<std::size_t>(j * block.cols + col)];
        for (std::int64_t row = 0; row < block.rows; ++row) sum += std::abs(static_cast<double>(block(row, col)));
      }
    });
  }
  return sums.empty() ? 0 : *std::ranges::max_element(sums);
}

template <class T>
std::vector<double> block_product_of(const BlockMatrix<T>& a, const std::vector<double>& x) {
  const auto b = static_cast<std::size_t>(a.cut().block);
  std::vector<double> y(x.size());
  for (int i = 0; i < a.blocks(); ++i) {
    a.pattern().for_row(i, 0, [&](int j) {
      add_product(a.block(i, j), &x[static_cast<std::size_t>(j) * b], &y[static_cast<std::size_t>(i) * b]);
    });
  }
  return y;
}

}  // namespace

template <class T>
void block_lu_solve(const BlockMatrix<T>& lu, std::vector<T>& x) {
  const std::shared_ptr<void> quiet = kernels::single_threaded_blas();
  const std::int64_t b = lu.cut().block;
  const auto part = [&](int i) { return MatrixView<T>{x.data() + i * b, b, 1, b}; };
  const auto subtract = [&](int i, int j) {
    kernels::multiply('N', 'N', T{-1}, kernels::constant(lu.block(i, j)), kernels::constant(part(j)), T{1}, part(i));
  };
  for (int i = 0; i < lu.blocks(); ++i) {
    lu.pattern().for_row(i, 0, [&](int j) {
      if (j < i) subtract(i, j);
    });
    kernels::solve_triangular('L', 'L', 'N', 'U', kernels::constant(lu.block(i, i)), part(i));
  }
  for (int i = lu.blocks() - 1; i >= 0; --i) {
    lu.pattern().for_row(i, i + 1, [&](int j) { subtract(i, j); });
    kernels::solve_triangular('L', 'U', 'N', 'N', kernels::constant(lu.block(i, i)), part(i));
  }
}

template <class T>
Residual block_lu_residual(const BlockMatrix<T>& a, const BlockMatrix<T>& lu, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(static_cast<std::size_t>(a.rows()));
  for (double& value : x) value = static_cast<double>(random.below(2000001)) / 1000000 - 1;
  BlockPattern filled = lu.pattern();
  filled.fill_in();
  const bool complete = filled == lu.pattern();
  const std::vector<double> expected = block_product_of(a, x);
  std::vector<double> error = complete ? product_of_factors(lu, x) : product_of_kept(lu, x);
  for (std::size_t i = 0; i < error.size(); ++i) error[i] = expected[i] - error[i];
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
  const double scale = one_norm_of(a) * length_of(x) * static_cast<double>(a.rows()) * eps;
  return {"|(A - L U) x| / (|A| |x| n eps)", length_of(error) / scale};
}

#define TROUPE_INSTANTIATE(T)                                           \
  template void block_lu_solve(const BlockMatrix<T>&, std::vector<T>&); \
  template Residual block_lu_residual(const BlockMatrix<T>&, const BlockMatrix<T>&, std::uint64_t);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::linalg
