/// Clusters that change at certain points of a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/errors.hpp"

namespace troupe::platform {

struct ClusterStage {
  /// The number of completed tasks at which the stage begins.
  std::uint64_t after = 0;
  /// The clusters, in the notation of `parse_clusters`.
  std::string clusters;

  bool operator==(const ClusterStage&) const = default;
};

/// Parses stages: "2x10" is one stage, from the start; "2x10,1500:single" has a second stage, which begins when 1500
/// tasks have completed. Returns an empty list for an empty text. Fails with `invalid_argument` if the stages are not
/// in order, a number is missing, or `parse_clusters` fails.
[[nodiscard]] Result<std::vector<ClusterStage>> parse_cluster_stages(std::string_view text);
/// Returns a text that `parse_cluster_stages` reads.
[[nodiscard]] std::string to_string(const std::vector<ClusterStage>& stages);

}  // namespace troupe::platform
