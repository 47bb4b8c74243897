#include "actors/memory/eviction/eviction_policies.hpp"

#include <fmt/format.h>

#include <utility>

#include "actors/memory/eviction/furthest_next_use.hpp"
#include "actors/memory/eviction/reuse_index.hpp"

namespace troupe::memory {

std::vector<std::string_view> eviction_policy_names() { return {"lru", "reuse", "next-use"}; }

Result<std::unique_ptr<EvictionPolicy>> make_eviction_policy(std::string_view name,
                                                             std::shared_ptr<UpcomingTasks> upcoming) {
  if (name == "lru") return least_recently_used();
  if (name == "reuse") return std::unique_ptr<EvictionPolicy>(std::make_unique<ReuseIndex>());
  if (name == "next-use") {
    if (!upcoming) upcoming = std::make_shared<UpcomingTasks>();
    return std::unique_ptr<EvictionPolicy>(std::make_unique<FurthestNextUse>(std::move(upcoming)));
  }
  return Failure{ErrorCode::invalid_argument, fmt::format("there is no eviction policy '{}': use one of {}", name,
                                                          fmt::join(eviction_policy_names(), ", "))};
}

}  // namespace troupe::memory
