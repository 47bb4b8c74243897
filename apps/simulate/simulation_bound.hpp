/// Lower bounds on the time of a simulated factorization, and on the bytes that it moves.
#pragma once

#include <optional>
#include <vector>

#include "apps/bounds/factorization_graph.hpp"
#include "apps/simulate/simulated_factorization.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

/// Records the graph of `run` in a separate run, with another policy and with all of each GPU's memory. Returns nothing
/// if the graph has more than a million tasks, because computing bounds would then take longer than the runs.
[[nodiscard]] std::optional<FactorizationGraph> record_graph(const SimulatedRun& run);

/// The number of cores of each worker of a run that is not a GPU; more than 1 for a cluster.
using CoreWorkers = std::vector<int>;
/// Returns the workers of a finished run, except GPUs.
[[nodiscard]] CoreWorkers core_workers_of(const RunReport& report);
/// Returns the workers, except GPUs, of a run whose clusters change during the run. For each size of cluster, the
/// result has as many workers as ever exist at one time, as if all sizes existed at once. The bound for these workers
/// is therefore valid for every such schedule. Throws if the clusters cannot be formed.
[[nodiscard]] CoreWorkers core_workers_of_stages(SimulationOptions options);

/// Returns bounds on the time of every schedule of the graph on these cores and the GPUs of `options`. Clusters of one
/// size are one type of worker. Kernels take the same times as in a run with these options: if times vary, they are
/// drawn from the run's seed and do not depend on the policy. Copies are left out. The bounds are infinite if no device
/// can run a task. Must not be called from several threads at the same time.
[[nodiscard]] LowerBounds bounds_of(const FactorizationGraph& graph, const SimulationOptions& options,
                                    const CoreWorkers& cores);
/// Returns the largest of the bounds: `LowerBounds::staged_s`.
[[nodiscard]] double bound_seconds(const FactorizationGraph& graph, const SimulationOptions& options,
                                   const CoreWorkers& cores);

/// Returns a lower bound on the bytes that a schedule of the graph copies if it takes at most `makespan_s`
/// (`bytes_lower_bound`), for memories and links of any size and speed. `makespan_s` must not be below `bound_seconds`.
/// Must not be called from several threads at the same time.
[[nodiscard]] Bytes bound_bytes(const FactorizationGraph& graph, const SimulationOptions& options,
                                const CoreWorkers& cores, double makespan_s);

}  // namespace troupe::apps
