/// Solves a system of equations from a Matrix Market file, in this process or on a service: `troupe solve` and `troupe
/// submit`.
#pragma once

#include <cstdint>
#include <string>

#include "apps/arguments/runtime_start.hpp"
#include "apps/arguments/trace_arguments.hpp"
#include "apps/run/cluster_choice.hpp"

namespace troupe::apps {

struct SolveArguments {
  std::string matrix;
  std::string right_hand_side;
  std::string output;
  std::string method = "auto";
  std::string precision = "double";
  std::int64_t tile = 0;
  RuntimeOptions runtime;
  /// Makes the runtime that runs the tasks; null means a runtime in this process, with the options `runtime`.
  StartRuntime start;
  /// Finds clusters for the method that is tried first, if `runtime` requests the best clusters.
  FindClusters find_clusters;
  TraceArguments trace;
  bool json = false;
  bool metrics = false;
  /// True if the matrix is sparse and `solve_sparse` solves the system.
  bool sparse = false;
};

/// Throws `invalid_argument` if `output` is one of the input files or cannot be written.
void check_solution_path(const SolveArguments& arguments);

/// Solves, writes the solution if it is acceptable, and prints the results. Throws `Error`.
int solve(const SolveArguments& arguments);

}  // namespace troupe::apps
