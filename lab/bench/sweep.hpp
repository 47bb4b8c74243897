/// Finds METG(50%) of one runtime on one graph by measuring tasks of several sizes.
#pragma once

#include <functional>
#include <memory>

#include "lab/bench/parameters.hpp"
#include "lab/bench/task_output.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

/// One runtime's way to execute a graph of the benchmark.
class GraphExecutor {
 public:
  GraphExecutor() = default;
  GraphExecutor(const GraphExecutor&) = delete;
  GraphExecutor& operator=(const GraphExecutor&) = delete;
  virtual ~GraphExecutor() = default;

  /// Called outside of the timed part, before executions with a different number of steps. If a graph is executed
  /// several times, it is built here. Work that each execution needs must not be done here.
  virtual void prepare(const Workload& /*workload*/) {}
  /// Executes the graph, and returns when all tasks have completed. Only this call is timed.
  virtual void execute(const Workload& workload) = 0;
  /// Returns the number of wrong inputs that tasks have found so far.
  [[nodiscard]] virtual std::int64_t wrong() const = 0;
};

struct SweepOptions {
  GraphShape shape;
  int cores = 1;
  /// The iterations per second of all cores without a runtime: the common reference.
  double peak = 0;
  /// The largest and the smallest number of tasks in one execution.
  std::int64_t most_tasks = 16'384;
  std::int64_t least_tasks = 400;
  /// The number of measurements of each point, and the least time of each; the median counts.
  int repetitions = 3;
  double least_seconds = 0.010;
  /// The granularity at which the sweep starts.
  double first_us = 128;
  /// True for a single execution of `steps` rows with checks of all inputs, instead of a sweep.
  bool check = false;
  std::int64_t steps = 0;
};

/// Reads the parameters `pattern width dependencies cores peak check steps tiny`. If `peak` is not given, this function
/// measures it. `most_tasks` is the size of the largest graph. For a runtime that builds a graph once and executes it
/// often, `most_tasks` must not be above the size of such graphs in real programs.
[[nodiscard]] SweepOptions sweep_options(Parameters& parameters, std::int64_t most_tasks);

/// Halves the task size until the efficiency stays below 50 %, then measures one more point in between. Figures:
/// `metg_us`, `bounded`, `curve`, `peak_iterations_per_second`; with `check`, only `tasks` and `wrong`. Throws
/// std::runtime_error if no point reaches 50 %.
[[nodiscard]] Json sweep(const SweepOptions& options, const GraphPattern& pattern, GraphExecutor& executor);

}  // namespace troupe::bench
