/// The clusters that were found to be the best, and those that they were compared with.
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
  /// The order of the largest matrix that was simulated with these clusters, and its time and rate.
  std::int64_t n = 0;
  double seconds = 0;
  double gflops = 0;
  /// The number of simulations: 1 is without noise; with more, the time is the mean of simulations with noise.
  int runs = 1;
};

struct ClusterChoice {
  /// The clusters that were tried, the best first; at least one.
  std::vector<TriedClusters> tried;
  /// The order that was asked for; the best may have been found on a smaller matrix.
  std::int64_t n = 0;
  /// The duration of the search.
  double search_seconds = 0;
  /// The reason why there was nothing to choose from; empty if there was a choice.
  std::string remark = {};

  [[nodiscard]] const platform::ClusterCandidate& best() const { return tried.front().clusters; }
};

/// Returns a text such as "2x10+3x1: 61.3 ms, the best of 26; single cores 94.4 ms (found in 412 ms)", or "11x1: 61.3
/// ms" if there was nothing to choose from. The remark is left out, since it is printed as a warning.
[[nodiscard]] std::string clusters_text(const ClusterChoice& choice);
/// Returns a table with a row for each of the clusters that were tried.
[[nodiscard]] std::string clusters_table(const ClusterChoice& choice);
[[nodiscard]] Json clusters_json(const ClusterChoice& choice);

/// Finds the best clusters for a factorization of order `n` in a runtime with these options, on this machine. If too
/// little is known of the machine, returns nothing and warns (`ObservationOptions::on_warning`). Throws `Error`.
using FindClusters = std::function<std::optional<ClusterChoice>(const RuntimeOptions& runtime,
                                                                const linalg::FactorizationOptions& options,
                                                                std::int64_t n, std::size_t element_bytes)>;

/// If the options ask for automatic clusters, replaces them by clusters that `find` finds. If `find` finds none, the
/// runtime finds clusters while it runs, or uses single cores if its policy cannot find them. Otherwise does nothing.
std::optional<ClusterChoice> settle_clusters(RuntimeOptions& runtime, const FindClusters& find,
                                             const linalg::FactorizationOptions& options, std::int64_t n,
                                             std::size_t element_bytes);

/// Returns the policy of a runtime that groups its cores itself, if its options name this policy: the same one, or for
/// "default" one that can group cores. Returns nothing if the policy cannot, because it learns no kernel times.
[[nodiscard]] std::optional<std::string> changing_policy(const std::string& policy);

}  // namespace troupe::apps
