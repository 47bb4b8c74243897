/// Factorizes a generated matrix, in this process or on a service: `troupe run` and `troupe submit`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/arguments/runtime_start.hpp"
#include "apps/arguments/trace_arguments.hpp"
#include "apps/run/cluster_choice.hpp"
#include "apps/run/sparse_lu_job.hpp"
#include "linalg/factorization.hpp"
#include "linalg/problem.hpp"

namespace troupe::apps {

struct RunArguments {
  linalg::Application application = linalg::Application::cholesky;
  std::int64_t n = 4096;
  /// The number of columns of a tile; 0 means a default that depends on the size.
  std::int64_t tile = 0;
  /// The number of rows of a tile; 0 means a default that depends on the size and the number of workers.
  std::int64_t tile_rows = 0;
  std::int64_t inner = 0;
  std::string precision = "double";
  linalg::Pivoting pivoting = linalg::Pivoting::partial;
  std::optional<linalg::ProblemKind> problem;
  RuntimeOptions runtime;
  /// Makes the runtime that runs the tasks; null means a runtime in this process, with the options `runtime`.
  StartRuntime start;
  /// Finds clusters if `runtime` requests the best clusters.
  FindClusters find_clusters;
  int repeat = 1;
  bool check = false;
  bool peak = false;
  bool json = false;
  bool metrics = false;
  std::string picture;
  TraceArguments trace;
  /// If this has a value, LU of a sparse matrix of blocks runs instead (`run_sparse_lu`).
  std::optional<SparseLuArguments> sparse;
};

/// Factorizes, checks the result if `check` is set, and prints the measurements. Throws `Error`.
int run(const RunArguments& arguments);

}  // namespace troupe::apps
