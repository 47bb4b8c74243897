/// LU without pivoting of a generated or read sparse matrix of blocks: `troupe run sparse-lu`.
#pragma once

#include "apps/run/sparse_problem.hpp"

namespace troupe::apps {

struct RunArguments;

/// Factorizes, checks the result if the arguments request it, and prints the measurements. Throws `Error`.
int run_sparse_lu(const RunArguments& arguments, const SparseLuArguments& sparse);

}  // namespace troupe::apps
