/// Random programs whose tasks are recorded and run many times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/task_graph.hpp"
#include "tests/support/random/random_program.hpp"

namespace troupe::tests {

/// The properties of the program. The seed determines everything else.
struct RandomRecordingOptions {
  std::uint64_t seed = 1;
  /// The number of tasks of the program.
  int tasks = 40;
  /// The number of actions that the program performs, one after the other.
  int rounds = 12;
  /// If true, kernels throw in some runs, and some runs are cancelled.
  bool faults = false;
  /// True if no other thread uses the graph at the same time.
  bool alone = true;
  /// If mixed, some kernels can also run on GPUs. No kernel runs only on GPUs, because a run may use data with parts in
  /// place of other data.
  Devices devices = {};
  /// If true, some handles are divided into parts, as with `ProgramOptions::parts`.
  bool parts = true;
};

/// Records slices of a random program. Then, in a random order, runs the recordings with the recorded data, runs them
/// with other data, and submits the tasks directly. Checks that the tasks' inputs and the final data are as if all
/// tasks had run one after the other. Returns one line for each problem. The graph must run tasks by itself or when a
/// thread waits. Several threads may call this with the same graph.
std::vector<std::string> run_random_recording(graph::TaskGraph& graph, const RandomRecordingOptions& options);

/// Calls `run_random_recording` in several threads at once, each with a seed and data of its own.
std::vector<std::string> run_random_recordings(graph::TaskGraph& graph, const RandomRecordingOptions& options,
                                               std::size_t submitters);

}  // namespace troupe::tests
