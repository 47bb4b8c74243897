#include "linalg/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/codelets.hpp"

namespace troupe::linalg {

using kernels::codelets;

namespace {

/// Returns the larger of the two numbers, or NaN if one of them is NaN.
double larger(double a, double b) { return std::isnan(a) || a > b ? a : b; }

template <class T>
double column_sum(const DenseMatrix<T>& a, std::int64_t col) {
  double sum = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) sum += std::abs(static_cast<double>(a(i, col)));
  return sum;
}

/// Returns the 1-norm of a symmetric matrix of which only the lower triangle is stored.
template <class T>
double symmetric_norm(const DenseMatrix<T>& lower) {
  std::vector<double> sums(static_cast<std::size_t>(lower.cols));
  for (std::int64_t j = 0; j < lower.cols; ++j) {
    for (std::int64_t i = j; i < lower.rows; ++i) {
      const double element = std::abs(static_cast<double>(lower(i, j)));
      sums[static_cast<std::size_t>(j)] += element;
      if (i != j) sums[static_cast<std::size_t>(i)] += element;
    }
  }
  double result = 0;
  for (const double sum : sums) result = larger(sum, result);
  return result;
}

template <class T>
double scaled(double error, double size, double norm_of_data) {
  // If the norm has overflowed, a division by it would make the error zero.
  if (!std::isfinite(norm_of_data)) return std::numeric_limits<double>::quiet_NaN();
  if (error == 0) return 0;
  return error / (size * norm_of_data * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2);
}

/// The part of a tile that a copy keeps. All other elements become zero, but with `unit_lower` the diagonal becomes 1.
enum class Keep { lower, unit_lower, upper };

template <class T>
const Codelet& triangle_codelet() {
  static const Codelet codelet =
      Codelet("triangle", {AccessMode::read, AccessMode::write})
          .cpu([](MatrixView<const T> from, MatrixView<T> to, Keep keep, std::int64_t offset) {
            for (std::int64_t j = 0; j < to.cols; ++j) {
              const std::int64_t diagonal = offset + j;
              for (std::int64_t i = 0; i < to.rows; ++i) {
                const bool kept =
                    keep == Keep::upper ? i <= diagonal : i > diagonal || (i == diagonal && keep == Keep::lower);
                to(i, j) = kept ? from(i, j) : (i == diagonal && keep == Keep::unit_lower ? T{1} : T{0});
              }
            }
          });
  return codelet;
}

/// Copies one triangle of the diagonal tile of every tile column.
template <class T>
std::vector<Data> diagonal_triangles(Runtime& runtime, const TiledMatrix<T>& a, Keep keep) {
  std::vector<Data> triangles;
  for (int k = 0; k < a.tile_cols(); ++k) {
    const int top = a.diagonal(k);
    triangles.push_back(runtime.allocate_matrix<T>(a.rows_of(top), a.cols_of(k)));
    runtime.submit(triangle_codelet<T>(), {a(top, k), triangles.back()}, args(keep, a.diagonal_offset(k)));
  }
  return triangles;
}

/// Returns a column-major copy of the tiles.
template <class T>
DenseMatrix<T> collect(Runtime& runtime, const TiledMatrix<T>& tiles, TilePart part = TilePart::all) {
  DenseMatrix<T> result(tiles.rows(), tiles.cols());
  tiles.scatter_to(result.values.data(), std::max<std::int64_t>(result.rows, 1), part);
  runtime.wait();
  return result;
}

template <class T>
TiledMatrix<T> tiled_copy(Runtime& runtime, const DenseMatrix<T>& a, TileSize tile) {
  TiledMatrix<T> result(runtime, a.rows, a.cols, tile);
  result.gather_from(a.values.data(), std::max<std::int64_t>(a.rows, 1));
  return result;
}

/// Returns a matrix of `rows` x `cols` with ones on the diagonal and zeros elsewhere.
template <class T>
TiledMatrix<T> tiled_identity(Runtime& runtime, std::int64_t rows, std::int64_t cols, TileSize tile) {
  static const Codelet codelet =
      Codelet("identity", {AccessMode::write}).cpu([](MatrixView<T> to, std::int64_t offset) {
        for (std::int64_t j = 0; j < to.cols; ++j) {
          std::fill_n(&to(0, j), to.rows, T{0});
          if (offset + j < to.rows) to(offset + j, j) = T{1};
        }
      });
  TiledMatrix<T> result(runtime, rows, cols, tile);
  for (int j = 0; j < result.tile_cols(); ++j) {
    for (int i = 0; i < result.tile_rows(); ++i) {
      const std::int64_t offset = i == result.diagonal(j) ? result.diagonal_offset(j) : result.rows_of(i);
      runtime.submit(codelet, {result(i, j)}, args(offset));
    }
  }
  return result;
}

/// Returns a copy of `a` in tiles. Waits until no task needs `a` any more, so that the caller may destroy `a`.
template <class T>
TiledMatrix<T> settled_tiles(Runtime& runtime, const DenseMatrix<T>& a, TileSize tile) {
  TiledMatrix<T> tiles = tiled_copy(runtime, a, tile);
  runtime.wait();  // until `a` has been read
  return tiles;
}

/// Returns `a` in tiles, with its rows exchanged as the pivots say, in order.
template <class T>
TiledMatrix<T> permuted_tiles(Runtime& runtime, const DenseMatrix<T>& a, const std::vector<int>& pivots,
                              TileSize tile) {
  DenseMatrix<T> permuted = a;
  for (const int pivot : pivots) {
    if (pivot >= 0 && pivot < a.rows) continue;
    throw Error(ErrorCode::invalid_argument, "pivot " + std::to_string(pivot) + " is no row of the matrix");
  }
  for (std::int64_t j = 0; j < a.cols; ++j) {
    for (std::size_t i = 0; i < pivots.size(); ++i) {
      std::swap(permuted(static_cast<std::int64_t>(i), j), permuted(pivots[i], j));
    }
  }
  return settled_tiles(runtime, permuted, tile);
}

/// Returns the upper triangle of the factors, with zeros below.
template <class T>
DenseMatrix<T> upper_triangle(Runtime& runtime, const TiledMatrix<T>& factors) {
  DenseMatrix<T> upper = collect(runtime, factors);
  for (std::int64_t j = 0; j < upper.cols; ++j) {
    for (std::int64_t i = j + 1; i < upper.rows; ++i) upper(i, j) = T{0};
  }
  return upper;
}

template <class T>
double largest_element(const DenseMatrix<T>& a) {
  double largest = 0;
  for (const T value : a.values) largest = larger(std::abs(static_cast<double>(value)), largest);
  return largest;
}

/// Returns I - Q^T Q for the first columns of Q, as many as A has columns.
template <class T>
TiledMatrix<T> departure_from_orthogonality(Runtime& runtime, const TiledMatrix<T>& qr, const QrFactors<T>& factors) {
  TiledMatrix<T> q = tiled_identity<T>(runtime, qr.rows(), qr.cols(), qr.tile());
  qr_apply(runtime, qr, factors, false, q);
  TiledMatrix<T> rest = tiled_identity<T>(runtime, qr.cols(), qr.cols(), qr.tile());
  for (int j = 0; j < rest.tile_cols(); ++j) {
    for (int i = 0; i < rest.tile_cols(); ++i) {
      for (int k = 0; k < q.tile_rows(); ++k) {
        runtime.submit(codelets<T>().gemm_tn, {q(k, i), q(k, j), rest(rest.diagonal(i), j)},
                       args(rest.diagonal_offset(i)));
      }
    }
  }
  return rest;
}

template <class T>
DenseMatrix<T> difference(DenseMatrix<T> product, const DenseMatrix<T>& a) {
  for (std::size_t i = 0; i < product.values.size(); ++i) product.values[i] -= a.values[i];
  return product;
}

void require_shape(std::int64_t rows, std::int64_t cols, std::int64_t needed_rows, std::int64_t needed_cols) {
  if (rows == needed_rows && cols == needed_cols) return;
  throw Error(ErrorCode::invalid_argument, "a matrix of " + std::to_string(rows) + " x " + std::to_string(cols) +
                                               " where a residual needs one of " + std::to_string(needed_rows) + " x " +
                                               std::to_string(needed_cols));
}

}  // namespace

template <class T>
double one_norm(const DenseMatrix<T>& a) {
  double result = 0;
  for (std::int64_t j = 0; j < a.cols; ++j) result = larger(column_sum(a, j), result);
  return result;
}

template <class T>
Residual cholesky_residual(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& l) {
  require_shape(a.rows, a.cols, l.rows(), l.cols());
  const auto& kernel = codelets<T>();
  TiledMatrix<T> rest = tiled_copy(runtime, a, l.tile());
  const std::vector<Data> diagonal = diagonal_triangles(runtime, l, Keep::lower);
  const auto part = [&](int i, int k) {
    return i == l.diagonal(k) ? diagonal[static_cast<std::size_t>(k)].handle() : l(i, k);
  };
  for (int j = 0; j < l.tile_cols(); ++j) {
    const int top = l.diagonal(j);
    for (int i = top; i < l.tile_rows(); ++i) {
      for (int k = 0; k <= j; ++k) {
        runtime.submit(kernel.gemm_nt, {part(i, k), part(top, k), rest(i, j)}, args(l.diagonal_offset(j)));
      }
    }
  }
  const DenseMatrix<T> error = collect(runtime, rest, TilePart::lower);
  return {"|A - L L^T| / (n |A| eps)", scaled<T>(symmetric_norm(error), static_cast<double>(a.rows), one_norm(a))};
}

template <class T>
Residual lu_residual(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& lu,
                     const std::vector<int>& pivots) {
  require_shape(a.rows, a.cols, lu.rows(), lu.cols());
  const auto& kernel = codelets<T>();
  TiledMatrix<T> rest = permuted_tiles(runtime, a, pivots, lu.tile());
  const std::vector<Data> lower = diagonal_triangles(runtime, lu, Keep::unit_lower);
  const std::vector<Data> upper = diagonal_triangles(runtime, lu, Keep::upper);
  for (int j = 0; j < lu.tile_cols(); ++j) {
    for (int i = 0; i < lu.tile_rows(); ++i) {
      for (int k = 0; k <= j && lu.diagonal(k) <= i; ++k) {
        const int top = lu.diagonal(k);
        const Handle left = i == top ? lower[static_cast<std::size_t>(k)].handle() : lu(i, k);
        const Handle right = k == j ? upper[static_cast<std::size_t>(k)].handle() : lu(top, j);
        runtime.submit(kernel.gemm_nn, {left, right, rest(i, j)}, args(lu.diagonal_offset(k)));
      }
    }
  }
  const DenseMatrix<T> error = collect(runtime, rest);
  return {pivots.empty() ? "|A - L U| / (n |A| eps)" : "|P A - L U| / (n |A| eps)",
          scaled<T>(one_norm(error), static_cast<double>(a.rows), one_norm(a))};
}

template <class T>
Residual incremental_lu_residual(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& lu,
                                 const IncrementalFactors<T>& factors) {
  require_shape(a.rows, a.cols, lu.rows(), lu.cols());
  const DenseMatrix<T> upper = upper_triangle(runtime, lu);
  const double largest = largest_element(a);
  const double growth = largest > 0 ? larger(largest_element(upper) / largest, 1) : 1;
  TiledMatrix<T> product = settled_tiles(runtime, upper, lu.tile());
  lu_incremental_apply(runtime, lu, factors, true, product);
  const DenseMatrix<T> error = difference(collect(runtime, product), a);
  return {"|A - L U| / (n g |A| eps)", scaled<T>(one_norm(error), static_cast<double>(a.rows) * growth, one_norm(a))};
}

template <class T>
std::vector<Residual> qr_residuals(Runtime& runtime, const DenseMatrix<T>& a, const TiledMatrix<T>& qr,
                                   const QrFactors<T>& factors) {
  require_shape(a.rows, a.cols, qr.rows(), qr.cols());
  const auto rows = static_cast<double>(a.rows);
  const auto product = [&] {
    TiledMatrix<T> tiles = settled_tiles(runtime, upper_triangle(runtime, qr), qr.tile());
    qr_apply(runtime, qr, factors, false, tiles);
    return tiles;
  };
  DenseMatrix<T> error = difference(collect(runtime, product()), a);
  const double factorization = scaled<T>(one_norm(error), rows, one_norm(a));
  error = {};
  error = collect(runtime, departure_from_orthogonality(runtime, qr, factors));
  return {{"|A - Q R| / (m |A| eps)", factorization}, {"|I - Q^T Q| / (m eps)", scaled<T>(one_norm(error), rows, 1)}};
}

template <class T>
Residual solve_residual(const DenseMatrix<T>& a, const DenseMatrix<T>& x, const DenseMatrix<T>& b) {
  require_shape(x.rows, x.cols, a.cols, x.cols);
  require_shape(b.rows, b.cols, a.rows, x.cols);
  double worst = 0;
  const double norm_of_a = one_norm(a);
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

#define TROUPE_INSTANTIATE(T)                                                                                     \
  template double one_norm(const DenseMatrix<T>&);                                                                \
  template Residual cholesky_residual(Runtime&, const DenseMatrix<T>&, const TiledMatrix<T>&);                    \
  template Residual lu_residual(Runtime&, const DenseMatrix<T>&, const TiledMatrix<T>&, const std::vector<int>&); \
  template Residual incremental_lu_residual(Runtime&, const DenseMatrix<T>&, const TiledMatrix<T>&,               \
                                            const IncrementalFactors<T>&);                                        \
  template std::vector<Residual> qr_residuals(Runtime&, const DenseMatrix<T>&, const TiledMatrix<T>&,             \
                                              const QrFactors<T>&);                                               \
  template Residual solve_residual(const DenseMatrix<T>&, const DenseMatrix<T>&, const DenseMatrix<T>&);
TROUPE_INSTANTIATE(float)
TROUPE_INSTANTIATE(double)
#undef TROUPE_INSTANTIATE

}  // namespace troupe::linalg
