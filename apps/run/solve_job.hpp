/// A system of equations from a Matrix Market file, solved here or on a service: `troupe solve` and `troupe submit`.
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
  /// Where tasks run; null: in a runtime of our own, as `runtime` says.
  StartRuntime start;
  /// Who finds clusters where `runtime` asks for the best, for the method that is tried first.
  FindClusters find_clusters;
  TraceArguments trace;
  bool json = false;
  bool metrics = false;
  /// By `solve_sparse`.
  bool sparse = false;
};

/// Throws `invalid_argument` where `output` is one of the inputs or cannot be written.
void check_solution_path(const SolveArguments& arguments);

/// Solves, writes the solution where it is one, and prints what there is to say. Throws `Error`.
int solve(const SolveArguments& arguments);

}  // namespace troupe::apps
