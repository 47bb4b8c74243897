/// Random programs that are recorded and run many times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/task_graph.hpp"
#include "tests/support/random/random_program.hpp"

namespace troupe::tests {

/// Everything else is drawn from the seed.
struct RandomRecordingOptions {
  std::uint64_t seed = 1;
  /// Tasks of the program.
  int tasks = 40;
  /// What is done with the program and its parts, one after the other.
  int rounds = 12;
  /// In some runs kernels throw, some are cancelled.
  bool faults = false;
  /// Nobody else uses the graph meanwhile.
  bool alone = true;
  /// Some kernels run on GPUs too; none on GPUs only, as data of which there are parts may take the place of others.
  Devices devices = {};
  /// As `ProgramOptions::parts`.
  bool parts = true;
};

/// Records slices of a random program, then runs them, with the recorded data and with others, and submits them
/// directly, in a random order. Checks that each task read what it would have read, and that the data became what they
/// would have become, had all tasks been run one after the other. Returns what was wrong, a line each. The graph must
/// make progress by itself or when a thread waits. Several threads may do this on one graph.
std::vector<std::string> run_random_recording(graph::TaskGraph& graph, const RandomRecordingOptions& options);

/// The same by several threads at once, each with a seed and data of its own.
std::vector<std::string> run_random_recordings(graph::TaskGraph& graph, const RandomRecordingOptions& options,
                                               std::size_t submitters);

}  // namespace troupe::tests
