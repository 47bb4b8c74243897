/// The benchmarks' plans, from what the command line asks for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/bench/driver/plan.hpp"

namespace troupe::bench {

/// The choices of the command line. Empty lists mean the benchmark's defaults.
struct PlanOptions {
  int rounds = 9;
  int cores = 1;
  std::vector<std::string> runtimes;
  /// True for small sizes, which only show that everything works.
  bool tiny = false;
  /// Used by overhead: the shapes, and the numbers of handles of a task.
  std::vector<std::string> shapes;
  std::vector<int> handles;
  /// The number of tasks; 0 means the usual number.
  std::int64_t tasks = 0;
  /// Used by granularity: the patterns, widths and numbers of dependencies.
  std::vector<std::string> patterns;
  std::vector<int> widths;
  std::vector<int> dependencies;
  /// Used by linalg: the factorizations, the orders and the tile.
  std::vector<std::string> algorithms;
  std::vector<std::int64_t> orders;
  std::int64_t tile = 0;
  /// Used by sparse: the numbers of points on a side of the cube.
  std::vector<int> points;
  /// Used by sparse-lu: the structure of full blocks, and the grains of Troupe's tasks; `orders` are in blocks.
  std::string structure = "third";
  std::vector<std::string> grains;
};

/// Returns all runtimes for which the source has a runner.
[[nodiscard]] const std::vector<std::string>& known_runtimes();
/// Returns the factorizations of `linalg`.
[[nodiscard]] const std::vector<std::string>& known_algorithms();
/// Returns the grains of Troupe's tasks in `sparse-lu`.
[[nodiscard]] const std::vector<std::string>& known_grains();

[[nodiscard]] Plan overhead_plan(const PlanOptions& options);
[[nodiscard]] Plan granularity_plan(const PlanOptions& options);
[[nodiscard]] Plan steal_plan(const PlanOptions& options);
[[nodiscard]] Plan memory_plan(const PlanOptions& options);
[[nodiscard]] Plan linalg_plan(const PlanOptions& options);
[[nodiscard]] Plan sparse_plan(const PlanOptions& options);
[[nodiscard]] Plan sparse_lu_plan(const PlanOptions& options);

}  // namespace troupe::bench
