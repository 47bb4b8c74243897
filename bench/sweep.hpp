/// The sweep over task sizes that finds METG(50%) of one runtime on one graph.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>

#include "bench/parameters.hpp"
#include "bench/task_output.hpp"

namespace troupe::bench {

/// One runtime's way to execute a graph of the benchmark.
class GraphExecutor {
 public:
  GraphExecutor() = default;
  GraphExecutor(const GraphExecutor&) = delete;
  GraphExecutor& operator=(const GraphExecutor&) = delete;
  virtual ~GraphExecutor() = default;

  /// Called before executions with other steps, outside of the timed part: here a graph is built that is executed
  /// several times. Not for what must be done for each execution.
  virtual void prepare(const Workload& /*workload*/) {}
  /// Executes the graph and returns when it is done. Timed.
  virtual void execute(const Workload& workload) = 0;
  /// Inputs that were not what they should have been, since the start.
  [[nodiscard]] virtual std::int64_t wrong() const = 0;
};

struct SweepOptions {
  GraphShape shape;
  int cores = 1;
  /// Iterations per second of all cores: the common reference.
  double peak = 0;
  /// Tasks of one execution: at most, and at least.
  std::int64_t most_tasks = 16'384;
  std::int64_t least_tasks = 400;
  /// A point is measured this often for at least so long; the median counts.
  int repetitions = 3;
  double least_seconds = 0.010;
  /// The first granularity that is tried.
  double first_us = 128;
  /// No sweep, but one execution of `steps` rows with its inputs verified.
  bool check = false;
  std::int64_t steps = 0;
};

/// The parameters `pattern width dependencies cores peak check steps tiny`. Without `peak`, it is measured here.
/// `most_tasks`: a graph that is built once and executed often has to be of a size that programs keep.
[[nodiscard]] SweepOptions sweep_options(Parameters& parameters, std::int64_t most_tasks);

/// Halves the task size until the efficiency stays below 50 %, then looks once more in between. Figures: `metg_us`,
/// `bounded`, `curve`, `peak_iterations_per_second`; with `check`, `tasks` and `wrong` instead.
/// Throws std::runtime_error where 50 % is never reached.
[[nodiscard]] nlohmann::json sweep(const SweepOptions& options, const GraphPattern& pattern, GraphExecutor& executor);

}  // namespace troupe::bench
