#include "apps/common_arguments.hpp"

#include <CLI/CLI.hpp>
#include <cmath>

#include "actors/scheduler/policy.hpp"
#include "apps/human.hpp"
#include "platform/host_memory.hpp"
#include "proto/errors.hpp"

namespace troupe::apps {

void add_runtime_options(CLI::App& command, RuntimeOptions& options) {
  std::string policies;
  for (const scheduler::PolicyDescription& policy : scheduler::known_policies()) {
    policies += (policies.empty() ? "" : ", ") + std::string(policy.name);
  }
  command.add_option("--policy", options.policy, "Scheduling policy: " + policies)->capture_default_str();
  command.add_option("--cores", options.cores, "Cores to use; default: all that are allowed")
      ->check(CLI::Range(1, 1 << 20));
  command.add_option("--window", options.window, "Tasks in flight before submission blocks")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40U))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Seed of random numbers and random choices")->capture_default_str();
}

void require_memory(std::int64_t rows, std::int64_t cols, std::size_t element_bytes, int copies) {
  const platform::HostMemory memory = platform::read_host_memory();
  const double needed = static_cast<double>(rows) * static_cast<double>(cols) * static_cast<double>(element_bytes) * copies;
  if (needed <= static_cast<double>(memory.available.count)) return;
  const std::string size = needed < 0x1p63 ? human_bytes({static_cast<std::uint64_t>(needed)}) : "more than 8 EiB";
  throw Error(ErrorCode::bad_input,
              "a dense matrix of " + std::to_string(rows) + " x " + std::to_string(cols) + " needs " + size +
                  " of memory here (" + std::to_string(copies) + " copies), but only " +
                  human_bytes(memory.available) + " are available (" + memory.limited_by +
                  "): use a smaller matrix, --precision float, or a larger machine");
}

}  // namespace troupe::apps
