#include "service/budgets/budget_table.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

#include "platform/machine/host_memory.hpp"

namespace troupe::service {
namespace {

/// Returns the number at the beginning of the file; nothing if there is none.
std::optional<std::uint64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// Returns the limit on processes of this process's control group (cgroup version 2) or of the nearest group above it;
/// nothing if there is no limit.
std::optional<std::uint64_t> most_processes_of_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("0::")) continue;
    for (std::string path = line.substr(3);; path = path.substr(0, path.rfind('/'))) {
      if (const auto most = number_in("/sys/fs/cgroup" + path + "/pids.max")) return most;
      if (path.find('/') == std::string::npos) break;
    }
  }
  return std::nullopt;
}

std::uint64_t most_threads() {
  std::uint64_t most = number_in("/proc/sys/kernel/threads-max").value_or(32'768);
  if (const auto group = most_processes_of_group()) most = std::min(most, *group);
  rlimit limit{};
  if (::getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    most = std::min<std::uint64_t>(most, limit.rlim_cur);
  }
  return most;
}

std::uint64_t three_quarters(std::uint64_t amount) { return std::max<std::uint64_t>(amount / 4 * 3, 1); }

}  // namespace

ResourceAmounts amounts_of_system() {
  /// The estimated bytes of a recorded task and of a request. Estimates are enough here, because the accounts of the
  /// users' memory count all bytes.
  constexpr std::uint64_t kBytesOfTask = 768;
  constexpr std::uint64_t kBytesOfRequest = 2048;
  const std::uint64_t memory = platform::read_host_memory().total.count;
  ResourceAmounts amounts{};
  const auto of = [&amounts](Resource resource) -> std::uint64_t& {
    return amounts[static_cast<std::size_t>(resource)];
  };
  of(Resource::segments) = three_quarters(number_in("/proc/sys/vm/max_map_count").value_or(65'530));
  of(Resource::threads) = three_quarters(most_threads());
  of(Resource::recorded_tasks) = three_quarters(memory / kBytesOfTask);
  of(Resource::requests) = three_quarters(memory / kBytesOfRequest);
  return amounts;
}

}  // namespace troupe::service
