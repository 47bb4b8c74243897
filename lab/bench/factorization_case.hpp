/// Factorizations of dense matrices, measured and checked in the same way for all runtimes.
///
/// A runtime gets a column-major matrix with n as its leading dimension, and overwrites it by the factors, as LAPACK
/// does (tile QR: by R and vectors of its own form). If the runtime copies the matrix to another layout and back, the
/// time includes these copies; it does not include the start of the runtime.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "lab/bench/parameters.hpp"
#include "linalg/dense_matrix.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

using Matrix = linalg::DenseMatrix<double>;

enum class Algorithm { cholesky, lu, qr };

struct FactorizationCase {
  Algorithm algorithm = Algorithm::cholesky;
  std::int64_t n = 1024;
  /// The columns and rows of a tile, and the width of the inner blocks of QR; 0 means that the runtime chooses.
  std::int64_t tile = 0;
  std::int64_t tile_rows = 0;
  std::int64_t inner = 0;
  int cores = 1;
};

/// Reads the parameters `algorithm=cholesky|lu|qr n tile tile_rows inner cores`.
[[nodiscard]] FactorizationCase factorization_case(Parameters& parameters);

/// The result of a factorization.
class Factors {
 public:
  Factors() = default;
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;
  virtual ~Factors() = default;
  /// Overwrites B, which has one column, by the solution of A X = B. The time of this call is not measured.
  virtual void solve(Matrix& b) = 0;
};

/// Overwrites the matrix by its factors. The matrix outlives the returned factors.
using Factorize = std::function<std::unique_ptr<Factors>(Matrix& a)>;

/// Returns a matrix whose elements are uniformly distributed in (-1/2, 1/2). For Cholesky the matrix is symmetric, with
/// n added to the diagonal. Equal seeds give equal matrices.
[[nodiscard]] Matrix random_matrix(Algorithm algorithm, std::int64_t n, std::uint64_t seed);

/// Returns the number of operations, counted as in LAPACK (LAPACK Working Note 41).
[[nodiscard]] double flop_count(Algorithm algorithm, std::int64_t n);

/// Measures a factorization. First another matrix with at most 2048 rows is factorized as a warm-up. Then come the
/// measured factorizations, each of a fresh copy of the same matrix: as many as fit into 0.3 s, at least one and at
/// most 15. The last factors are used to solve a system with a random right-hand side. Figures: `seconds` (the median),
/// `fastest_seconds`, `runs`, `flops`, `gflops` (of the median), `residual`, which is |b - A x| / (n |A| |x| eps) in
/// the maximum norm with eps = 2^-53. Throws std::runtime_error if the residual is not below 30.
[[nodiscard]] Json measure_factorization(const FactorizationCase& options, const Factorize& factorize);

}  // namespace troupe::bench
