/// How fast a simulated factorization could be at best, and how few bytes it could move.
#pragma once

#include <optional>

#include "apps/bounds/factorization_graph.hpp"
#include "apps/simulate/simulated_factorization.hpp"

namespace troupe::apps {

/// Records the graph of `run` in a run of its own, with another policy and all of each GPU's memory. Nothing where it
/// has more than a million tasks: bounds would take longer than runs.
[[nodiscard]] std::optional<FactorizationGraph> record_graph(const SimulatedRun& run);

/// No schedule of the graph on so many cores and the GPUs of `options` takes less: `LowerBounds::staged_s`, in seconds.
/// Kernels take the times that they take in a run with these options: where they vary, those drawn from its seed, which
/// are the same whatever the policy. Copies are left out. Infinite where a task can run nowhere. Not from several
/// threads at the same time.
[[nodiscard]] double bound_seconds(const FactorizationGraph& graph, const SimulationOptions& options, int cores);

/// No such schedule that takes at most `makespan_s` moves less (`bytes_lower_bound`), whatever the memory and the
/// links. For makespans from `bound_seconds` on. Not from several threads at the same time.
[[nodiscard]] Bytes bound_bytes(const FactorizationGraph& graph, const SimulationOptions& options, int cores,
                                double makespan_s);

}  // namespace troupe::apps
