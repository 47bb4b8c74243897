/// Sparse systems: how solving them is measured and checked, the same for all libraries.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/parameters.hpp"
#include "linalg/sparse/compressed_matrix.hpp"

namespace troupe::bench {

struct SparseCase {
  linalg::CompressedMatrix matrix;
  int cores = 1;
};

/// The parameters `points` (of a side of the cube), `wind` (`linalg::convection_diffusion`), or `file`, and `cores`.
[[nodiscard]] SparseCase sparse_case(Parameters& parameters);

/// Analyses, factorizes and solves; returns x.
using SolveSparse = std::function<std::vector<double>(const std::vector<double>& b)>;

/// One run to warm up, then as many as fit into a second, at least three and at most nine. Figures: `seconds` (the
/// median of whole solves), `fastest_seconds`, `runs`, `residual`, which is |b - A x| / (n |A| |x| eps) in the 1-norm
/// with eps = 2^-53. Throws std::runtime_error where that is not below 30.
[[nodiscard]] nlohmann::json measure_sparse(const SparseCase& options, const SolveSparse& solve);

}  // namespace troupe::bench
