/// Finds the best clusters for a factorization on this machine, from the kernel times that are stored for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "apps/run/cluster_choice.hpp"

namespace troupe::apps {

/// Implements `FindClusters`. Reads the kernel times from the folder `runtime.placement.models`, describes this machine
/// by these times, and simulates the factorization under the runtime's policy and restrictions, with each of the
/// clusters that its cores can form. Finds nothing if the runtime uses accelerators, or if too few times of a kernel
/// are known, on single cores or on clusters, for tiles of this size. Takes up to 2 seconds or 5 % of the
/// factorization's time, whichever is more.
[[nodiscard]] std::optional<ClusterChoice> find_clusters_by_models(const RuntimeOptions& runtime,
                                                                   const linalg::FactorizationOptions& options,
                                                                   std::int64_t n, std::size_t element_bytes);

}  // namespace troupe::apps
