/// How fast a simulated factorization could be at best, and how few bytes it could move.
#pragma once

#include <optional>

#include "apps/bounds/factorization_graph.hpp"
#include "apps/simulate/simulated_factorization.hpp"

namespace troupe::apps {

/// Records the graph of `run` in a run of its own, with another policy and all of each GPU's memory. Nothing where it
/// has more than a million tasks: bounds would take longer than runs.
[[nodiscard]] std::optional<FactorizationGraph> record_graph(const SimulatedRun& run);

/// No schedule of the graph on the cores and GPUs of `run` takes less, if kernels take their mean times; copies are
/// left out. `LowerBounds::staged_s`, in seconds. Throws as `simulate`. Not from several threads at the same time.
[[nodiscard]] double bound_seconds(const FactorizationGraph& graph, const SimulatedRun& run, int cores);

/// No such schedule that takes at most `makespan_s` moves less (`bytes_lower_bound`), whatever the memory and the
/// links. For makespans from `bound_seconds` on. Throws as `simulate`. Not from several threads at the same time.
[[nodiscard]] Bytes bound_bytes(const FactorizationGraph& graph, const SimulatedRun& run, int cores, double makespan_s);

}  // namespace troupe::apps
