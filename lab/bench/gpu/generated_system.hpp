/// Checks of results for matrices whose elements can be generated again, so that no matrix has to be kept for a check.
#pragma once

#include <cstdint>

#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::bench {

/// A symmetric positive definite matrix of order `n`: the elements of `symmetric_element`, with n on the diagonal.
struct GeneratedSystem {
  std::int64_t n = 0;
  std::int64_t tile = 0;
  std::uint64_t seed = 1;

  [[nodiscard]] double diagonal() const { return static_cast<double>(n); }
  /// Returns a lower bound of the matrix's maximum norm, so that residuals come out larger rather than smaller.
  [[nodiscard]] double norm() const { return static_cast<double>(n) - 0.5; }
};

/// Returns |b - A x| / (n |A| |x| eps) in the maximum norm with eps = 2^-53, where x solves L L^T x = b for a random b.
/// `l` is the factor of the system's matrix. For A x, the matrix's tiles are made again, one after the other.
[[nodiscard]] double residual_of(Runtime& runtime, const GeneratedSystem& system, const TiledMatrix<double>& l);

}  // namespace troupe::bench
