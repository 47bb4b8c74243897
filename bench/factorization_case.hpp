/// Factorizations of dense matrices: how they are measured and checked, the same for all runtimes.
///
/// A runtime gets a column-major matrix with n as its leading dimension and leaves the factors in it, as LAPACK does
/// (tile QR: R, and its own vectors). What it copies elsewhere and back is part of the time; that it starts is not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/parameters.hpp"
#include "linalg/dense_matrix.hpp"

namespace troupe::bench {

using Matrix = linalg::DenseMatrix<double>;

enum class Algorithm { cholesky, lu, qr };

struct FactorizationCase {
  Algorithm algorithm = Algorithm::cholesky;
  std::int64_t n = 1024;
  /// Columns and rows of a tile, and inner block of QR; 0: what the runtime chooses.
  std::int64_t tile = 0;
  std::int64_t tile_rows = 0;
  std::int64_t inner = 0;
  int cores = 1;
};

/// The parameters `algorithm=cholesky|lu|qr n tile tile_rows inner cores`.
[[nodiscard]] FactorizationCase factorization_case(Parameters& parameters);

/// What a factorization leaves behind.
class Factors {
 public:
  Factors() = default;
  Factors(const Factors&) = delete;
  Factors& operator=(const Factors&) = delete;
  virtual ~Factors() = default;
  /// B <- the solution of A X = B, for one column. Not measured.
  virtual void solve(Matrix& b) = 0;
};

/// Overwrites the matrix, which outlives the factors.
using Factorize = std::function<std::unique_ptr<Factors>(Matrix& a)>;

/// Uniform in (-1/2, 1/2); for Cholesky symmetric, with n added to the diagonal. Equal seeds give equal matrices.
[[nodiscard]] Matrix random_matrix(Algorithm algorithm, std::int64_t n, std::uint64_t seed);

/// As LAPACK counts them (LAPACK Working Note 41).
[[nodiscard]] double flop_count(Algorithm algorithm, std::int64_t n);

/// One factorization to warm up, of another matrix and at most 2048 rows, then the measured ones, each of a fresh copy
/// of one matrix: as many as fit into 0.3 s, at least one and at most 15. The last factors solve a system with a random
/// right-hand side. Figures: `seconds` (the median), `fastest_seconds`, `runs`, `flops`, `gflops` (of the median),
/// `residual`, which is |b - A x| / (n |A| |x| eps) in the maximum norm with eps = 2^-53. Throws std::runtime_error
/// where that is not below 30.
[[nodiscard]] nlohmann::json measure_factorization(const FactorizationCase& options, const Factorize& factorize);

}  // namespace troupe::bench
