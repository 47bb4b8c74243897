/// Short functions that record and run task graphs, for tests of the graph alone.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "graph/task_graph.hpp"

namespace troupe::tests {

using SharedRecording = std::shared_ptr<graph::Recording>;

/// Records the tasks that `program` submits in the calling thread.
template <class Program>
SharedRecording record(graph::TaskGraph& graph, const Program& program, std::string name = "recording") {
  auto recording = std::make_shared<graph::Recording>(std::move(name));
  {
    const auto scope = graph.begin_recording(*recording).value_or_throw();
    program();
  }
  graph.seal_recording(*recording);
  return recording;
}

inline Result<Future> try_run(graph::TaskGraph& graph, const SharedRecording& recording,
                              std::initializer_list<Rebinding> rebindings = {}) {
  return graph.replay(recording, {rebindings.begin(), rebindings.size()});
}

/// Runs a recording. Throws if the run is refused.
inline Future run(graph::TaskGraph& graph, const SharedRecording& recording,
                  std::initializer_list<Rebinding> rebindings = {}) {
  return try_run(graph, recording, rebindings).value_or_throw();
}

}  // namespace troupe::tests
