/// Tile factorizations as a user of StarPU would write them: one task per kernel call, with priorities by critical
/// path. Kernels, tiles, graphs and priorities are those of Troupe's linalg/. A session must outlive the factors.
#pragma once

#include <memory>

#include "lab/bench/factorization_case.hpp"
#include "linalg/factorization.hpp"
#include "troupe/layout.hpp"

namespace troupe::bench {

/// These functions factorize, and return when the factors have overwritten the matrix. The height of tiles must be set.
[[nodiscard]] std::unique_ptr<Factors> starpu_cholesky(Matrix& a, const linalg::FactorizationOptions& options);
[[nodiscard]] std::unique_ptr<Factors> starpu_lu(Matrix& a, const linalg::FactorizationOptions& options);
[[nodiscard]] std::unique_ptr<Factors> starpu_qr(Matrix& a, const linalg::FactorizationOptions& options);

[[nodiscard]] inline MatrixView<double> view(Matrix& a) { return {a.values.data(), a.rows, a.cols, a.rows}; }
[[nodiscard]] inline MatrixView<const double> const_view(const Matrix& a) {
  return {a.values.data(), a.rows, a.cols, a.rows};
}

}  // namespace troupe::bench
