#include "actors/scheduler/policy.hpp"

#include <array>

namespace troupe::scheduler {

namespace {

constexpr std::array<PolicyDescription, 3> kPolicies{{
    {"eager", "one queue of all ready tasks, shared by all workers"},
    {"ws", "a deque per worker; thieves ask random victims"},
    {"lws", "a deque per worker; thieves ask the nearest victims first (cache, NUMA node, package)"},
}};

VictimRings to_victims(const std::vector<std::vector<int>>& rings) {
  VictimRings victims;
  for (const std::vector<int>& ring : rings) {
    std::vector<WorkerId>& workers = victims.emplace_back();
    for (const int worker : ring) workers.emplace_back(static_cast<std::uint32_t>(worker));
  }
  return victims;
}

/// All rings in one.
VictimRings flattened(const VictimRings& rings) {
  VictimRings one(1);
  for (const std::vector<WorkerId>& ring : rings) one[0].insert(one[0].end(), ring.begin(), ring.end());
  return one;
}

}  // namespace

std::span<const PolicyDescription> known_policies() { return kPolicies; }

Result<Policy> make_policy(std::string_view name, const Nearness& nearness) {
  Policy policy;
  policy.name = name;
  if (name == "eager") {
    policy.stealing.shared_queue = true;
    policy.stealing.victims.resize(nearness.size());
    return policy;
  }
  if (name == "ws" || name == "lws") {
    for (const auto& rings : nearness) {
      VictimRings victims = to_victims(rings);
      policy.stealing.victims.push_back(name == "ws" ? flattened(victims) : std::move(victims));
    }
    return policy;
  }
  std::string known;
  for (const PolicyDescription& description : kPolicies) {
    known += (known.empty() ? "" : ", ") + std::string(description.name);
  }
  return Failure{ErrorCode::invalid_argument, "unknown policy '" + std::string(name) + "'; known are " + known};
}

}  // namespace troupe::scheduler
