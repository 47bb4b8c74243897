/// Which clusters were found to be the best, and what they were compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "actors/running/runtime_options.hpp"
#include "linalg/factorization.hpp"
#include "platform/machine/cluster_candidates.hpp"

namespace troupe::apps {

struct TriedClusters {
  platform::ClusterCandidate clusters;
  /// Order of the largest matrix that was simulated with them, and what it took there.
  std::int64_t n = 0;
  double seconds = 0;
  double gflops = 0;
  /// 1: without noise; more: the mean of so many with noise.
  int runs = 1;
};

struct ClusterChoice {
  /// The best first; at least one.
  std::vector<TriedClusters> tried;
  /// The order that was asked for; the best may have been found on a smaller matrix.
  std::int64_t n = 0;
  /// How long the search took.
  double search_seconds = 0;
  /// Why there was nothing to choose from; empty where there was.
  std::string remark = {};

  [[nodiscard]] const platform::ClusterCandidate& best() const { return tried.front().clusters; }
};

/// "2x10+3x1: 61.3 ms, the best of 26; single cores 94.4 ms (found in 412 ms)". Not the remark, which is a
/// warning's: "11x1: 61.3 ms" where there was nothing to choose from.
[[nodiscard]] std::string clusters_text(const ClusterChoice& choice);
/// A row for each that was tried.
[[nodiscard]] std::string clusters_table(const ClusterChoice& choice);
[[nodiscard]] nlohmann::json clusters_json(const ClusterChoice& choice);

/// Finds the best for a factorization of order `n` in a runtime with these options, on this machine; nothing, and
/// a warning (`RuntimeOptions::on_warning`), where too little is known of it. The options are left as they are. Throws
/// `Error`.
using FindClusters = std::function<std::optional<ClusterChoice>(const RuntimeOptions& runtime,
                                                                const linalg::FactorizationOptions& options,
                                                                std::int64_t n, std::size_t element_bytes)>;

/// Where options ask for clusters that are to be found, puts those that `find` finds in their place. Where it finds
/// none, the runtime finds them while it runs or, under a policy that cannot, has single cores. Else does nothing.
std::optional<ClusterChoice> settle_clusters(RuntimeOptions& runtime, const FindClusters& find,
                                             const linalg::FactorizationOptions& options, std::int64_t n,
                                             std::size_t element_bytes);

/// What a runtime with this policy runs under where it groups its cores itself: "default" is one that can. Nothing:
/// it learns no kernel times, so that it cannot.
[[nodiscard]] std::optional<std::string> changing_policy(const std::string& policy);

}  // namespace troupe::apps
