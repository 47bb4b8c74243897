#include "actors/scheduler/policy.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "actors/scheduler/policies/dada.hpp"
#include "actors/scheduler/policies/earliest_finish.hpp"
#include "actors/scheduler/policies/heteroprio.hpp"
#include "actors/scheduler/policies/homeward.hpp"
#include "actors/scheduler/policies/multigrain.hpp"
#include "actors/scheduler/policy_specification.hpp"
#include "proto/edit_distance.hpp"

namespace troupe::scheduler {

namespace {

constexpr auto kPolicies = std::to_array<PolicyDescription>({
    {"default", "homeward where there are accelerators, lws where there are none"},
    {"eager", "one queue of all ready tasks, shared by all workers"},
    {"ws", "a deque per worker; thieves ask random victims"},
    {"lws", "a deque per worker; thieves ask the nearest victims first (cache, NUMA node, package)"},
    {"mct", "placing: earliest finish, transfers included, in the order in which tasks become ready"},
    {"heft", "placing: earliest finish, tasks with the largest speed-up on GPUs first"},
    {"heft-rank", "placing: earliest finish, tasks with the longest chain behind them first"},
    {"dada", "placing: tasks to where their data are, as far as a dual approximation of the balance allows"},
    {"heteroprio", "placing: idle GPUs take the task with the largest speed-up, idle cores that with the smallest"},
    {"multigrain",
     "placing: super-tasks in one order; accelerators take its high end whole, cores its low end in pieces"},
    {"homeward", "placing: fewest bytes while time allows, cores for what they do comparatively well"},
});

using Order = EarliestFinishOptions::Order;

constexpr double kMillion = 1e6;

std::unique_ptr<PlacingPolicy> make_earliest_finish(Order order, PolicyOptions& options) {
  return earliest_finish(
      {order, options.flag("cp"), options.flag("rounds"), options.flag("shared"), options.flag("dmda")});
}

std::unique_ptr<PlacingPolicy> make_dada(PolicyOptions& options) {
  DadaOptions chosen;
  chosen.alpha = options.number("alpha", chosen.alpha, 0, 1);
  chosen.communication_prediction = options.flag("cp");
  const std::string loads = options.word("loads", {"queued", "both", "zero", "stamps"});
  if (loads == "both") chosen.loads = DadaOptions::Loads::both;
  if (loads == "zero") chosen.loads = DadaOptions::Loads::zero;
  if (loads == "stamps") chosen.loads = DadaOptions::Loads::stamps;
  std::vector<std::string_view> affinities;
  for (const AffinityFunction& known : known_affinities()) affinities.push_back(known.name);
  const std::string affinity = options.word("affinity", affinities);
  for (const AffinityFunction& known : known_affinities()) {
    if (known.name == affinity) chosen.affinity = known.score;
  }
  chosen.host = options.word("host", {"no", "yes"}) == "yes";
  chosen.rounds = options.flag("rounds");
  return dada(chosen);
}

std::unique_ptr<PlacingPolicy> make_heteroprio(PolicyOptions& options) {
  HeteroPrioOptions chosen;
  chosen.ahead = options.count("ahead", chosen.ahead, 0, 64);
  return heteroprio(chosen);
}

std::unique_ptr<PlacingPolicy> make_multigrain(PolicyOptions& options) {
  MultigrainOptions chosen;
  if (options.word("order", {"affinity", "fifo"}) == "fifo") chosen.order = MultigrainOptions::Order::fifo;
  chosen.least_flops = kMillion * options.number("min", 0, 0, 1e9);
  chosen.ahead = options.count("ahead", chosen.ahead, 0, 64);
  chosen.take_back = options.flag("take-back");
  return multigrain(chosen);
}

std::unique_ptr<PlacingPolicy> make_homeward(PolicyOptions& options) {
  HomewardOptions homeward_options;
  double& least = homeward_options.least_tolerance;
  least = options.number("tolerance", least, 0, 1000);
  homeward_options.most_tolerance = std::max(homeward_options.most_tolerance, least);
  homeward_options.ahead = options.count("ahead", homeward_options.ahead, 1, 1000);
  homeward_options.looked_at = options.count("looked_at", homeward_options.looked_at, 1, 1'000'000);
  homeward_options.cover = options.number("cover", homeward_options.cover, 0, 1e9);
  homeward_options.spare_cover = options.number("spare", homeward_options.spare_cover, 0, 1e9);
  return homeward(homeward_options);
}

struct PlacingFactory {
  std::string_view name;
  std::unique_ptr<PlacingPolicy> (*make)(PolicyOptions& options);
};

/// Every placing policy that a user can name.
constexpr auto kPlacing = std::to_array<PlacingFactory>({
    {"mct", [](PolicyOptions& options) { return make_earliest_finish(Order::given, options); }},
    {"heft", [](PolicyOptions& options) { return make_earliest_finish(Order::speedup, options); }},
    {"heft-rank", [](PolicyOptions& options) { return make_earliest_finish(Order::rank, options); }},
    {"dada", make_dada},
    {"heteroprio", make_heteroprio},
    {"homeward", make_homeward},
    {"multigrain", make_multigrain},
});

VictimRings to_victims(const std::vector<std::vector<int>>& rings) {
  VictimRings victims;
  for (const std::vector<int>& ring : rings) {
    std::vector<WorkerId>& workers = victims.emplace_back();
    for (const int worker : ring) workers.emplace_back(static_cast<std::uint32_t>(worker));
  }
  return victims;
}

/// Returns one ring that holds the workers of all rings.
VictimRings flattened(const VictimRings& rings) {
  VictimRings one(1);
  for (const std::vector<WorkerId>& ring : rings) one[0].insert(one[0].end(), ring.begin(), ring.end());
  return one;
}

}  // namespace

std::span<const PolicyDescription> known_policies() { return kPolicies; }

Result<std::unique_ptr<PlacingPolicy>> make_placing(const PolicySpecification& specification) {
  PolicyOptions options(specification);
  std::unique_ptr<PlacingPolicy> policy;
  for (const PlacingFactory& factory : kPlacing) {
    if (factory.name == specification.name) policy = factory.make(options);
  }
  if (auto outcome = options.finish(); !outcome) return outcome.failure();
  return policy;
}

Result<Policy> make_policy(std::string_view text, const Nearness& nearness, bool accelerators) {
  if (text == "default") text = default_policy(accelerators);
  const auto specification = parse_policy(text);
  if (!specification) return specification.failure();
  Policy policy;
  policy.name = text;
  policy.stealing.victims.resize(nearness.size());
  const std::string& name = specification.value().name;
  const auto known = [&name](const PolicyDescription& description) { return description.name == name; };
  if (std::none_of(kPolicies.begin(), kPolicies.end(), known)) {
    std::string names;
    std::vector<std::string> each;
    for (const PolicyDescription& description : kPolicies) {
      each.emplace_back(description.name);
      names += (names.empty() ? "" : ", ") + each.back();
    }
    return Failure{ErrorCode::invalid_argument,
                   "unknown policy '" + name + "'; known are " + names + did_you_mean(name, each)};
  }
  auto placing = make_placing(specification.value());
  if (!placing) return placing.failure();
  policy.placing = std::move(placing).value();
  if (name == "eager") policy.stealing.shared_queue = true;
  if (name == "ws" || name == "lws") {
    for (std::size_t i = 0; i < nearness.size(); ++i) {
      VictimRings victims = to_victims(nearness[i]);
      policy.stealing.victims[i] = name == "ws" ? flattened(victims) : std::move(victims);
    }
  }
  return policy;
}

}  // namespace troupe::scheduler
