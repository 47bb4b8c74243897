/// Solves a sparse system of equations from a Matrix Market file: `troupe solve --sparse`.
#pragma once

#include "linalg/sparse/sparse_analysis.hpp"

namespace troupe::apps {

struct SolveArguments;

/// Solves without ever making the matrix dense, writes the solution if it is acceptable, and prints the results. Throws
/// `Error`. If a solution is not accurate enough, the error is `kernel_failed`, with the row whose pivot failed and the
/// remedy.
int solve_sparse(const SolveArguments& arguments, const linalg::SparseOptions& options);

}  // namespace troupe::apps
