/// Trace collector: makes a `Trace` from the records of the workers and the graph.
#pragma once

#include <cstddef>

#include "actors/workers/crew.hpp"
#include "graph/tasks/dependency_trace.hpp"
#include "platform/machine/clock.hpp"
#include "troupe/trace.hpp"

namespace troupe::actors {

/// Owns the records of a runtime that traces. Outlives the graph and the crew.
class TraceRecorder {
 public:
  /// The clock outlives the recorder.
  TraceRecorder(std::size_t workers, std::size_t limit, const platform::Clock& clock)
      : budget_(limit), dependencies_(workers, budget_, [&clock] { return clock.now(); }) {}

  [[nodiscard]] graph::DependencyTrace* dependencies() { return &dependencies_; }
  /// Makes the crew's workers record traces. Must be called before the workers start.
  void attach(workers::Crew& crew);
  /// Takes the records out, and makes room for more. May be called from any thread, at any time.
  [[nodiscard]] Trace take(workers::Crew& crew, const platform::Clock& clock);

 private:
  graph::TraceBudget budget_;
  graph::DependencyTrace dependencies_;
};

}  // namespace troupe::actors
