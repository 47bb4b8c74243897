#include "platform/machine/cluster_stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "platform/machine/cluster_plan.hpp"
#include "proto/tokens.hpp"

namespace troupe::platform {

Result<std::vector<ClusterStage>> parse_cluster_stages(std::string_view text) {
  std::vector<ClusterStage> stages;
  if (text.empty()) return stages;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string_view part = text.substr(begin, end - begin);
    begin = end + 1;
    std::uint64_t after = 0;
    if (!stages.empty()) {
      const std::size_t colon = part.find(':');
      const auto count = parse_integer(part.substr(0, std::min(colon, part.size())));
      const bool in_order = count.status == NumberStatus::ok && count.value > 0 &&
                            static_cast<std::uint64_t>(count.value) > stages.back().after;
      if (colon == std::string_view::npos || !in_order) {
        return Failure{ErrorCode::invalid_argument,
                       fmt::format("clusters {}: {} does not say when they change: give the number of tasks that have "
                                   "ended by then, each more than the one before, such as 2x10,1500:single",
                                   quoted(text), quoted(part))};
      }
      after = static_cast<std::uint64_t>(count.value);
      part.remove_prefix(colon + 1);
    }
    if (const auto parsed = parse_clusters(part); !parsed) return parsed.failure();
    stages.push_back({after, std::string(part)});
  }
  return stages;
}

std::string to_string(const std::vector<ClusterStage>& stages) {
  std::string text;
  for (const ClusterStage& stage : stages) {
    text += text.empty() ? stage.clusters : fmt::format(",{}:{}", stage.after, stage.clusters);
  }
  return text;
}

}  // namespace troupe::platform
