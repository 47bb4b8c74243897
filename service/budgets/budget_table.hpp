/// The scarce resources of a process that users share: one table for limits, messages and the manual.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe::service {

enum class Resource : std::uint8_t {
  /// Segments of shared memory. Each segment takes one memory mapping of the process.
  segments,
  /// Threads: one for each connection to the memory socket, one for each session, and those that kernels of nested
  /// tasks may keep while they wait for children.
  threads,
  recorded_tasks,
  /// Data that clients have acquired, and requests that wait for tasks to end.
  requests,
};
inline constexpr std::size_t kResources = 4;

struct BudgetTraits {
  Resource resource;
  /// The configuration key that sets the limit of one user.
  std::string_view key;
  /// The resource's name in messages, such as "segments of shared memory".
  std::string_view what;
  /// The system's limit for all users together, in words.
  std::string_view total;
  /// Advice for a user who has reached the limit.
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

/// One amount for each resource.
using ResourceAmounts = std::array<std::uint64_t, kResources>;

/// Returns the amounts that all users of a service together may have: three quarters of the amounts that the system
/// allows this process now. The service itself needs the last quarter. Reads files of the system.
[[nodiscard]] ResourceAmounts amounts_of_system();

}  // namespace troupe::service
