/// A sparse system of equations from a Matrix Market file: `troupe solve --sparse`.
#pragma once

#include "linalg/sparse/sparse_analysis.hpp"

namespace troupe::apps {

struct SolveArguments;

/// Solves without ever making the matrix dense, writes the solution where it is one, and prints what there is to say.
/// Throws `Error`: of a solution that is not accurate enough, `kernel_failed` with the row whose pivot failed and what
/// to do.
int solve_sparse(const SolveArguments& arguments, const linalg::SparseOptions& options);

}  // namespace troupe::apps
