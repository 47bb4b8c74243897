/// The sweep over task sizes that finds METG(50%) of one runtime on one graph.
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

  /// Called outside of the timed part, before executions with a different number of steps. A graph that is executed
  /// several times is built here. Work that each execution needs must not be done here.
  virtual void prepare(const Workload& /*workload*/) {}
  /// Executes the graph and returns when it is done. This is the timed part.
  virtual void execute(const Workload& workload) = 0;
  /// Returns the number of wrong inputs since the start.
  [[nodiscard]] virtual std::int64_t wrong() const = 0;
};

struct SweepOptions {
  GraphShape shape;
  int cores = 1;
  /// The iterations per second of all cores: the common reference.
  double peak = 0;
  /// The largest and the smallest number of tasks of one execution.
  std::int64_t most_tasks = 16'384;
  std::int64_t least_tasks = 400;
  /// A point is measured this many times, each for at least `least_seconds`; the median counts.
  int repetitions = 3;
  double least_seconds = 0.010;
  /// The first granularity that is tried.
  double first_us = 128;
  /// True for one execution of `steps` rows with verified inputs, instead of a sweep.
  bool check = false;
  std::int64_t steps = 0;
};

/// Reads the parameters `pattern width dependencies cores peak check steps tiny`. Without `peak`, it is measured here.
/// `most_tasks` is the size of the largest graph; a graph that is built once and executed often must not be larger than
/// graphs that programs keep.
[[nodiscard]] SweepOptions sweep_options(Parameters& parameters, std::int64_t most_tasks);

/// Halves the task size until the efficiency stays below 50 %, then measures once more in between. Figures: `metg_us`,
/// `bounded`, `curve`, `peak_iterations_per_second`; with `check`, `tasks` and `wrong` instead. Throws
/// std::runtime_error if 50 % is never reached.
[[nodiscard]] Json sweep(const SweepOptions& options, const GraphPattern& pattern, GraphExecutor& executor);

}  // namespace troupe::bench
