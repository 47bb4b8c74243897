/// LU without pivoting of a sparse matrix of blocks that is made for the purpose, or read: `troupe run sparse-lu`.
#pragma once

#include "apps/run/sparse_problem.hpp"

namespace troupe::apps {

struct RunArguments;

/// Factorizes, checks where that is asked for, and prints what was measured. Throws `Error`.
int run_sparse_lu(const RunArguments& arguments, const SparseLuArguments& sparse);

}  // namespace troupe::apps
