/// Random programs that are recorded and run many times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/task_graph.hpp"
#include "tests/support/random/random_program.hpp"

namespace troupe::tests {

/// The properties of the program. Everything else is drawn from the seed.
struct RandomRecordingOptions {
  std::uint64_t seed = 1;
  /// The number of tasks of the program.
  int tasks = 40;
  /// The number of actions on the program and its parts, one after the other.
  int rounds = 12;
  /// If true, kernels throw in some runs, and some runs are cancelled.
  bool faults = false;
  /// True if no other thread uses the graph meanwhile.
  bool alone = true;
  /// If mixed, some kernels run on GPUs, too. No kernel runs on GPUs only, because data with parts may take the place
  /// of other data.
  Devices devices = {};
  /// If true, handles are divided into parts, as with `ProgramOptions::parts`.
  bool parts = true;
};

/// Records slices of a random program. Then, in a random order, runs them with the recorded data, runs them with other
/// data, and submits them directly. Checks that each task read, and that the data became, what they would have if all
/// tasks had run one after the other. Returns one line for each problem. The graph must make progress by itself or when
/// a thread waits. Several threads may do this on one graph.
std::vector<std::string> run_random_recording(graph::TaskGraph& graph, const RandomRecordingOptions& options);

/// Calls `run_random_recording` in several threads at once, each with a seed and data of its own.
std::vector<std::string> run_random_recordings(graph::TaskGraph& graph, const RandomRecordingOptions& options,
                                               std::size_t submitters);

}  // namespace troupe::tests
