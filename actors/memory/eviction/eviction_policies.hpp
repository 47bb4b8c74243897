/// Makes eviction policies by their names.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "actors/memory/eviction/eviction.hpp"
#include "actors/memory/eviction/upcoming_tasks.hpp"
#include "troupe/errors.hpp"

namespace troupe::memory {

/// Returns the names "lru", "reuse" and "next-use".
[[nodiscard]] std::vector<std::string_view> eviction_policy_names();

/// Makes a policy by its name. `upcoming` holds the submitted tasks, for the policy "next-use"; if `upcoming` is null,
/// that policy knows no tasks, and evicts the least recently used data. Fails with `invalid_argument` if no policy has
/// this name.
[[nodiscard]] Result<std::unique_ptr<EvictionPolicy>> make_eviction_policy(
    std::string_view name, std::shared_ptr<UpcomingTasks> upcoming = nullptr);

}  // namespace troupe::memory
