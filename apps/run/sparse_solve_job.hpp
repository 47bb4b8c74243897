/// Solves a sparse system of equations from a Matrix Market file: `troupe solve --sparse`.
#pragma once

#include "linalg/sparse/sparse_analysis.hpp"

namespace troupe::apps {

struct SolveArguments;

/// Solves without ever making the matrix dense, writes the solution if it is acceptable, and prints the results. Throws
/// `Error`: `kernel_failed` if a solution is not accurate enough, with the row whose pivot failed and what to do.
int solve_sparse(const SolveArguments& arguments, const linalg::SparseOptions& options);

}  // namespace troupe::apps
