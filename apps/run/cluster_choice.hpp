/// The clusters that a search has found to be the best, and all clusters that the search has compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "linalg/factorization.hpp"
#include "platform/machine/cluster_candidates.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::apps {

struct TriedClusters {
  platform::ClusterCandidate clusters;
  /// The order of the largest matrix that was simulated with these clusters, and the time and rate of its
  /// factorization.
  std::int64_t n = 0;
  double seconds = 0;
  double gflops = 0;
  /// The number of simulations of that matrix. A single simulation has no noise; several simulations have noise, and
  /// the time is their mean.
  int runs = 1;
};

struct ClusterChoice {
  /// The clusters that were tried, the best first; at least one.
  std::vector<TriedClusters> tried;
  /// The requested order of the matrix. The best clusters may have been found with a smaller matrix.
  std::int64_t n = 0;
  /// The duration of the search.
  double search_seconds = 0;
  /// The reason why there was nothing to choose; empty if clusters were compared.
  std::string remark = {};

  [[nodiscard]] const platform::ClusterCandidate& best() const { return tried.front().clusters; }
};

/// Returns a text such as "2x10+3x1: 61.3 ms, the best of 26; single cores 94.4 ms (found in 412 ms)", or "11x1: 61.3
/// ms" if there was no choice. The remark is left out, because it is printed as a warning.
[[nodiscard]] std::string clusters_text(const ClusterChoice& choice);
/// Returns a table with a row for each of the clusters that were tried.
[[nodiscard]] std::string clusters_table(const ClusterChoice& choice);
[[nodiscard]] Json clusters_json(const ClusterChoice& choice);

/// Finds the best clusters for a factorization of order `n` in a runtime with these options, on this machine. If too
/// few kernel times are known, returns nothing and warns (`ObservationOptions::on_warning`). Throws `Error`.
using FindClusters = std::function<std::optional<ClusterChoice>(const RuntimeOptions& runtime,
                                                                const linalg::FactorizationOptions& options,
                                                                std::int64_t n, std::size_t element_bytes)>;

/// If the options request automatic clusters, replaces them by clusters that `find` finds. If `find` finds none, the
/// runtime itself finds clusters while it runs, or uses single cores if its policy cannot do that. Without automatic
/// clusters, does nothing.
std::optional<ClusterChoice> settle_clusters(RuntimeOptions& runtime, const FindClusters& find,
                                             const linalg::FactorizationOptions& options, std::int64_t n,
                                             std::size_t element_bytes);

/// Returns the policy for a runtime that regroups its cores itself: the given policy, or a suitable policy for
/// "default". Returns nothing if the policy cannot regroup cores, because it learns no kernel times.
[[nodiscard]] std::optional<std::string> changing_policy(const std::string& policy);

}  // namespace troupe::apps
