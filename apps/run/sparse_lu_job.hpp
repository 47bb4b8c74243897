/// LU without pivoting of a sparse matrix of blocks that is generated or read: `troupe run sparse-lu`.
#pragma once

#include "apps/run/sparse_problem.hpp"

namespace troupe::apps {

struct RunArguments;

/// Factorizes, checks if asked to, and prints the measurements. Throws `Error`.
int run_sparse_lu(const RunArguments& arguments, const SparseLuArguments& sparse);

}  // namespace troupe::apps
