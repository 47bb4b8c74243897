/// How fast a simulated factorization could be at best.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/lower_bounds.hpp"
#include "apps/simulated_factorization.hpp"

namespace troupe::apps {

/// The task graph of a factorization: that of any policy and any number of GPUs.
struct FactorizationGraph {
  /// Tasks of one codelet with as many operations are of one kind.
  struct Kind {
    std::string codelet;
    double flops = 0;
  };
  std::vector<BoundTask> tasks;
  std::vector<Kind> kinds;
};

/// Records the graph of `run` in a run of its own, with another policy and all of each GPU's memory. Nothing where it
/// has more tasks and dependencies than a trace takes.
[[nodiscard]] std::optional<FactorizationGraph> record_graph(const SimulatedRun& run);

/// No schedule of the graph on the cores and GPUs of `run` takes less, if kernels take their mean times; copies are
/// left out. `LowerBounds::staged_s`, in seconds. Throws as `simulate`. Not from several threads at the same time.
[[nodiscard]] double bound_seconds(const FactorizationGraph& graph, const SimulatedRun& run, int cores);

}  // namespace troupe::apps
