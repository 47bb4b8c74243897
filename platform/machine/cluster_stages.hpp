/// Clusters that change at certain points of a run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto/errors.hpp"

namespace troupe::platform {

struct ClusterStage {
  /// When so many tasks have ended.
  std::uint64_t after = 0;
  /// As `parse_clusters` takes it.
  std::string clusters;

  bool operator==(const ClusterStage&) const = default;
};

/// "2x10" is one stage, from the start; "2x10,1500:single" has a second one, from the end of 1500 tasks on. Empty for
/// an empty text. Fails with `invalid_argument` where stages are not in order, a number is missing, or `parse_clusters`
/// fails.
[[nodiscard]] Result<std::vector<ClusterStage>> parse_cluster_stages(std::string_view text);
/// What `parse_cluster_stages` reads.
[[nodiscard]] std::string to_string(const std::vector<ClusterStage>& stages);

}  // namespace troupe::platform
