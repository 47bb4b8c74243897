/// What users may have of what a process has only so much of: one table for limits, messages and the manual.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe::service {

enum class Resource : std::uint8_t {
  /// Each is a mapping of the process.
  segments,
  /// One for each connection to the memory socket and for each session.
  threads,
  recorded_tasks,
  /// Data that are held, and what is asked for and takes until tasks have ended.
  requests,
};
inline constexpr std::size_t kResources = 4;

struct BudgetTraits {
  Resource resource;
  /// The key of the configuration that sets what one user may have.
  std::string_view key;
  /// "segments of shared memory".
  std::string_view what;
  /// What the system lets all users together have of it, in words.
  std::string_view total;
  /// What who has too many can do.
  std::string_view advice;
};

inline constexpr std::array<BudgetTraits, kResources> kBudgetTraits{{
    {Resource::segments, "limits.segments_per_user", "segments of shared memory", "mappings (vm.max_map_count)",
     "release some, or allocate fewer and larger ones"},
    {Resource::threads, "limits.threads_per_user", "threads of the service",
     "threads (ulimit -u, and pids.max of the control group)", "end programs that are connected"},
    {Resource::recorded_tasks, "limits.recorded_tasks_per_user", "tasks in recordings", "memory",
     "drop recordings that are run no more"},
    {Resource::requests, "limits.requests_per_user", "requests for data that are held or waited for", "memory",
     "give back data that are held"},
}};

[[nodiscard]] constexpr const BudgetTraits& traits_of(Resource resource) {
  return kBudgetTraits[static_cast<std::size_t>(resource)];
}

/// How many of each there may be.
using ResourceAmounts = std::array<std::uint64_t, kResources>;

/// What all users of a service together may have, from what the system lets this process have now: not all of it, as
/// the service needs some itself. Reads files of the system.
[[nodiscard]] ResourceAmounts amounts_of_system();

}  // namespace troupe::service
