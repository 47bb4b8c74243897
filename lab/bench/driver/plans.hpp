/// Makes the benchmarks' plans from the options of the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/bench/driver/plan.hpp"

namespace troupe::bench {

/// The options of the command line. An empty list stands for the benchmark's defaults.
struct PlanOptions {
  int rounds = 9;
  int cores = 1;
  std::vector<std::string> runtimes;
  /// True for small sizes, which only test that everything works.
  bool tiny = false;
  /// For `overhead`: the shapes of the graphs, and the numbers of handles of a task.
  std::vector<std::string> shapes;
  std::vector<int> handles;
  /// The number of tasks; 0 stands for the usual number.
  std::int64_t tasks = 0;
  /// For `granularity`: the patterns, widths and numbers of dependencies.
  std::vector<std::string> patterns;
  std::vector<int> widths;
  std::vector<int> dependencies;
  /// For `linalg`: the factorizations, the orders of the matrices and the size of a tile.
  std::vector<std::string> algorithms;
  std::vector<std::int64_t> orders;
  std::int64_t tile = 0;
  /// For `sparse`: the numbers of points on a side of the cube.
  std::vector<int> points;
  /// For `sparse-lu`: the pattern of full blocks, and the grains of Troupe's tasks. Here `orders` count blocks.
  std::string structure = "third";
  std::vector<std::string> grains;
  /// For `recursion`: the programs.
  std::vector<std::string> programs;
  /// For `constructs`: the constructs.
  std::vector<std::string> constructs;
};

/// Returns all runtimes for which there is a runner in the source.
[[nodiscard]] const std::vector<std::string>& known_runtimes();
/// Returns the factorizations of `linalg`.
[[nodiscard]] const std::vector<std::string>& known_algorithms();
/// Returns the grains of Troupe's tasks in `sparse-lu`.
[[nodiscard]] const std::vector<std::string>& known_grains();

[[nodiscard]] Plan overhead_plan(const PlanOptions& options);
[[nodiscard]] Plan granularity_plan(const PlanOptions& options);
[[nodiscard]] Plan steal_plan(const PlanOptions& options);
[[nodiscard]] Plan constructs_plan(const PlanOptions& options);
[[nodiscard]] Plan memory_plan(const PlanOptions& options);
[[nodiscard]] Plan linalg_plan(const PlanOptions& options);
[[nodiscard]] Plan sparse_plan(const PlanOptions& options);
[[nodiscard]] Plan sparse_lu_plan(const PlanOptions& options);
[[nodiscard]] Plan recursion_plan(const PlanOptions& options);

}  // namespace troupe::bench
