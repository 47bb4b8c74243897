#include "apps/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/codelets.hpp"

namespace troupe::apps {

using kernels::codelets;

namespace {

/// The larger of the two, or NaN where one is.
double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

template <class T>
double column_sum(const DenseMatrix<T>& a, std::int64_t col, std::int64_t first_row = 0) {
  double sum = 0;
  for (std::int64_t i = first_row; i < a.rows; ++i) sum += std::abs(static_cast<double>(a(i, col)));
  return sum;
}

/// The 1-norm; of the lower triangle only where `lower`.
template <class T>
double norm(const DenseMatrix<T>& a, bool lower = false) {
  double result = 0;
  for (std::int64_t j = 0; j < a.cols; ++j) result = larger(column_sum(a, j, lower ? j : 0), result);
  return result;
}

template <class T>
double scaled(double error, double size, double norm_of_data) {
  if (error == 0) return 0;
  return error / (size * norm_of_data * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2);
}

/// Which part of a tile a copy keeps; the rest becomes zero, or one on the diagonal of a unit triangle.
enum class Keep { lower, unit_lower, upper };

template <class T>
const Codelet& triangle_codelet() {
  static const Codelet codelet =
      Codelet("triangle", {AccessMode::read, AccessMode::write})
          .cpu([](MatrixView<const T> from, MatrixView<T> to, Keep keep) {
            for (std::int64_t j = 0; j < to.cols; ++j) {
              for (std::int64_t i = 0; i < to.rows; ++i) {
                const bool kept = keep == Keep::upper ? i <= j : i > j || (i == j && keep == Keep::lower);
                to(i, j) = kept ? from(i, j) : T{i == j && keep == Keep::unit_lower ? T{1} : T{0}};
              }
            }
          });
  return codelet;
}

/// Triangles of the diagonal tiles, as full tiles.
template <class T>
std::vector<Data> diagonal_triangles(Runtime& runtime, const TiledMatrix<T>& a, Keep keep) {
  std::vector<Data> triangles;
  for (int k = 0; k < std::min(a.tile_rows(), a.tile_cols()); ++k) {
    triangles.push_back(runtime.allocate_matrix<T>(a.rows_of(k), a.cols_of(k)));
    runtime.submit(triangle_codelet<T>(), {a(k, k), triangles.back()}, args(keep));
  }
  return triangles;
}

/// A column-major copy of the tiles.
template <class T>
DenseMatrix<T> collect(Runtime& runtime, const TiledMatrix<T>& tiles, TilePart part = TilePart::all) {
  DenseMatrix<T> result(tiles.rows(), tiles.cols());
  tiles.scatter_to(result.values.data(), std::max<std::int64_t>(result.rows, 1), part);
  runtime.wait();
  return result;
}

template <class T>
TiledMatrix<T> tiled_copy(Runtime& runtime, const DenseMatrix<T>& a, std::int64_t tile) {
  TiledMatrix<T> result(runtime, a.rows, a.cols, tile);
  result.gather_from(a.values.data(), std::max<std::int64_t>(a.rows, 1));
  return result;
}

template <class T>
DenseMatrix<T> identity(std::int64_t rows, std::int64_t cols) {
  DenseMatrix<T> result(rows, cols);
  for (std::int64_t i = 0; i < std::min(rows, cols); ++i) result(i, i) = T{1};
  return result;
}

}  // namespace

template <class T>
Residual cholesky_residual(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& l) {
  const auto& kernel = codelets<T>();
  TiledMatrix<T> rest = tiled_copy(runtime, a, l.tile());
  const std::vector<Data> diagonal = diagonal_triangles(runtime, l, Keep::lower);
  const auto part = [&](int i, int k) { return i == k ? diagonal[static_cast<std::size_t>(k)].handle() : l(i, k); };
  for (int j = 0; j < l.tile_cols(); ++j) {
    for (int i = j; i < l.tile_rows(); ++i) {
      for (int k = 0; k <= j; ++k) runtime.submit(kernel.gemm_nt, {part(i, k), part(j, k), rest(i, j)});
    }
  }
  const DenseMatrix<T> error = collect(runtime, rest, TilePart::lower);
  return {"|A - L L^T| / (n |A| eps)",
          scaled<T>(norm(error, true), static_cast<double>(a.rows), norm(a))};
}

template <class T>
Residual lu_residual(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& lu,
                     const std::vector<int>& pivots) {
  const auto& kernel = codelets<T>();
  DenseMatrix<T> permuted = a;
  for (std::int64_t j = 0; j < a.cols; ++j) {
    for (std::size_t i = 0; i < pivots.size(); ++i) {
      std::swap(permuted(static_cast<std::int64_t>(i), j), permuted(pivots[i], j));
    }
  }
  TiledMatrix<T> rest = tiled_copy(runtime, permuted, lu.tile());
  const std::vector<Data> lower = diagonal_triangles(runtime, lu, Keep::unit_lower);
  const std::vector<Data> upper = diagonal_triangles(runtime, lu, Keep::upper);
  for (int j = 0; j < lu.tile_cols(); ++j) {
    for (int i = 0; i < lu.tile_rows(); ++i) {
      for (int k = 0; k <= std::min(i, j); ++k) {
        const Handle left = k == i ? lower[static_cast<std::size_t>(k)].handle() : lu(i, k);
        const Handle right = k == j ? upper[static_cast<std::size_t>(k)].handle() : lu(k, j);
        runtime.submit(kernel.gemm_nn, {left, right, rest(i, j)});
      }
    }
  }
  const DenseMatrix<T> error = collect(runtime, rest);
  return {pivots.empty() ? "|A - L U| / (n |A| eps)" : "|P A - L U| / (n |A| eps)",
          scaled<T>(norm(error), static_cast<double>(a.rows), norm(a))};
}

template <class T>
std::vector<Residual> qr_residuals(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& qr,
                                   const QrFactors<T>& factors) {
  const auto& kernel = codelets<T>();
  const auto rows = static_cast<double>(a.rows);
  DenseMatrix<T> r = collect(runtime, qr);
  for (std::int64_t j = 0; j < r.cols; ++j) {
    for (std::int64_t i = j + 1; i < r.rows; ++i) r(i, j) = T{0};
  }
  TiledMatrix<T> product = tiled_copy(runtime, r, qr.tile());
  qr_apply(runtime, qr, factors, false, product);
  DenseMatrix<T> error = collect(runtime, product);
  for (std::size_t i = 0; i < error.values.size(); ++i) error.values[i] -= a.values[i];
  const Residual factorization{"|A - Q R| / (m |A| eps)", scaled<T>(norm(error), rows, norm(a))};

  const DenseMatrix<T> unit = identity<T>(a.rows, a.cols);
  TiledMatrix<T> q = tiled_copy(runtime, unit, qr.tile());
  qr_apply(runtime, qr, factors, false, q);
  const DenseMatrix<T> small_unit = identity<T>(a.cols, a.cols);
  TiledMatrix<T> rest = tiled_copy(runtime, small_unit, qr.tile());
  for (int j = 0; j < rest.tile_cols(); ++j) {
    for (int i = 0; i < rest.tile_rows(); ++i) {
      for (int k = 0; k < q.tile_rows(); ++k) runtime.submit(kernel.gemm_tn, {q(k, i), q(k, j), rest(i, j)});
    }
  }
  const DenseMatrix<T> departure = collect(runtime, rest);
  return {factorization, {"|I - Q^T Q| / (m eps)", scaled<T>(norm(departure), rows, 1)}};
}

template <class T>
Residual solve_residual(const DenseMatrix<T>& a, const DenseMatrix<T>& x, const DenseMatrix<T>& b) {
  double worst = 0;
  const double norm_of_a = norm(a);
  for (std::int64_t r = 0; r < x.cols; ++r) {
    std::vector<double> error(static_cast<std::size_t>(a.rows));
    for (std::int64_t i = 0; i < a.rows; ++i) error[static_cast<std::size_t>(i)] = b(i, r);
    for (std::int64_t j = 0; j < a.cols; ++j) {
      const double factor = x(j, r);
      const T* column = &a(0, j);
      for (std::int64_t i = 0; i < a.rows; ++i) error[static_cast<std::size_t>(i)] -= factor * column[i];
    }
    double sum = 0;
    for (const double value : error) sum += std::abs(value);
    worst = larger(scaled<T>(sum, static_cast<double>(a.rows), norm_of_a * column_sum(x, r)), worst);
  }
  return {"|B - A X| / (n |A| |X| eps)", worst};
}

#define TROUPE_INSTANTIATE(T)                                                                                   \
  template Residual cholesky_residual(Runtime&, const DenseMatrix<T>&, const TiledMatrix<T>&);                  \
  template Residual lu_residual(Runtime&, const DenseMatrix<T>&, const TiledMatrix<T>&, const std::vector<int>&); \
  template std::vector<Residual> qr_residuals(Runtime&, const DenseMatrix<T>&, const TiledMatrix<T>&,           \
                                              const QrFactors<T>&);                                             \
  template Residual solve_residual(const DenseMatrix<T>&, const DenseMatrix<T>&, const DenseMatrix<T>&);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::apps
