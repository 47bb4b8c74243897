/// How fast a simulated factorization could be at best, and how few bytes it could move.
#pragma once

#include <optional>
#include <vector>

#include "apps/bounds/factorization_graph.hpp"
#include "apps/simulate/simulated_factorization.hpp"

namespace troupe::apps {

/// Records the graph of `run` in a run of its own, with another policy and all of each GPU's memory. Nothing where it
/// has more than a million tasks: bounds would take longer than runs.
[[nodiscard]] std::optional<FactorizationGraph> record_graph(const SimulatedRun& run);

/// The workers of a run that are no GPUs: the number of cores of each, more than 1 for a cluster.
using CoreWorkers = std::vector<int>;
/// Those of a run that has been.
[[nodiscard]] CoreWorkers core_workers_of(const RunReport& report);
/// Those of a run with these options whose clusters change on the way: of each size as many as there are at any time,
/// as if all were there at once. No schedule is below the bound of these. Throws where the clusters cannot be formed.
[[nodiscard]] CoreWorkers core_workers_of_stages(SimulationOptions options);

/// No schedule of the graph on these cores and the GPUs of `options` takes less. Clusters of one size are one type of
/// worker. Kernels take the times that they take in a run with these options: where they vary, those drawn from its
/// seed, which are the same whatever the policy. Copies are left out. Infinite where a task can run nowhere. Not from
/// several threads at the same time.
[[nodiscard]] LowerBounds bounds_of(const FactorizationGraph& graph, const SimulationOptions& options,
                                    const CoreWorkers& cores);
/// The largest of them: `LowerBounds::staged_s`.
[[nodiscard]] double bound_seconds(const FactorizationGraph& graph, const SimulationOptions& options,
                                   const CoreWorkers& cores);

/// No such schedule that takes at most `makespan_s` moves less (`bytes_lower_bound`), whatever the memory and the
/// links. For makespans from `bound_seconds` on. Not from several threads at the same time.
[[nodiscard]] Bytes bound_bytes(const FactorizationGraph& graph, const SimulationOptions& options,
                                const CoreWorkers& cores, double makespan_s);

}  // namespace troupe::apps
