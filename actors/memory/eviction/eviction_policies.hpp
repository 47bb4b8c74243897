/// Eviction policies by name.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "actors/memory/eviction/eviction.hpp"
#include "actors/memory/eviction/upcoming_tasks.hpp"
#include "proto/errors.hpp"

namespace troupe::memory {

/// "lru", "reuse", "next-use".
[[nodiscard]] std::vector<std::string_view> eviction_policy_names();

/// `upcoming`: what is submitted, for policies that look ahead; null: they know nothing of it, and take what was used
/// longest ago. Fails with `invalid_argument` where no policy has this name.
[[nodiscard]] Result<std::unique_ptr<EvictionPolicy>> make_eviction_policy(
    std::string_view name, std::shared_ptr<UpcomingTasks> upcoming = nullptr);

}  // namespace troupe::memory
