/// Finds the best clusters for a factorization on this machine, by the kernel times that are kept for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "apps/run/cluster_choice.hpp"

namespace troupe::apps {

/// Implements `FindClusters`. Reads the kernel times of `runtime.placement.models`, describes this machine by them and
/// simulates the factorization under the runtime's policy and restrictions, with each of the clusters that its cores
/// can form. Finds nothing if accelerators take part, or if too little is known of a kernel, on single cores or on
/// clusters, in tiles of this size. Takes up to 2 seconds or 5 % of the factorization's time, whichever is more.
[[nodiscard]] std::optional<ClusterChoice> find_clusters_by_models(const RuntimeOptions& runtime,
                                                                   const linalg::FactorizationOptions& options,
                                                                   std::int64_t n, std::size_t element_bytes);

}  // namespace troupe::apps
