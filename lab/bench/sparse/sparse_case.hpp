/// Sparse systems that are solved, measured and checked in the same way for all libraries.
#pragma once

#include <functional>
#include <vector>

#include "lab/bench/parameters.hpp"
#include "linalg/sparse/compressed_matrix.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

struct SparseCase {
  linalg::CompressedMatrix matrix;
  int cores = 1;
};

/// Reads the parameters `points` (on a side of the cube) and `wind` (`linalg::convection_diffusion`), or `file`, and
/// `cores`.
[[nodiscard]] SparseCase sparse_case(Parameters& parameters);

/// Analyses and factorizes the matrix, solves the system for `b`, and returns x.
using SolveSparse = std::function<std::vector<double>(const std::vector<double>& b)>;

/// Measures whole solves: one run to warm up, then as many runs as fit into a second, at least three and at most nine.
/// Figures: `seconds` (the median), `fastest_seconds`, `runs`, `residual`, which is |b - A x| / (n |A| |x| eps) in the
/// 1-norm with eps = 2^-53. Throws std::runtime_error if the residual is not below 30.
[[nodiscard]] Json measure_sparse(const SparseCase& options, const SolveSparse& solve);

}  // namespace troupe::bench
