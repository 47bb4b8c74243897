#include "platform/machine/cluster_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "platform/machine/cpu_set.hpp"
#include "proto/tokens.hpp"

namespace troupe::platform {
namespace {

struct Level {
  std::string_view name;
  DomainKind kind;
  /// The level's name in messages, in the singular and the plural.
  std::string_view one;
  std::string_view several;
};

constexpr std::array kLevels{Level{"socket", DomainKind::package, "socket", "sockets"},
                             Level{"numa", DomainKind::numa_node, "NUMA node", "NUMA nodes"},
                             Level{"l3", DomainKind::l3, "L3 cache", "L3 caches"}};

/// The borders that a cluster should not span, the most costly border first.
constexpr std::array kBorders{kLevels[1], kLevels[2]};

constexpr int kMostCores = kMaxPu + 1;

Failure unusable(std::string what) { return {ErrorCode::invalid_argument, std::move(what)}; }

std::string level_names() {
  std::vector<std::string_view> names;
  for (const Level& level : kLevels) names.push_back(level.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Failure not_clusters(std::string_view text) {
  const bool word = !text.empty() && std::ranges::all_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
  return unusable(
      fmt::format("{} {}: give numbers of clusters and their cores, such as 2x10 or 1x16+4x1, a level ({}), or single",
                  quoted(text), word ? "is no level of clusters" : "describes no clusters", level_names()));
}

Result<int> parse_count(std::string_view token, std::string_view text) {
  const auto number = parse_integer(token);
  const bool digits = !token.empty() && std::ranges::all_of(token, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return not_clusters(text);
  if (number.status != NumberStatus::ok || number.value > kMostCores) {
    return unusable(fmt::format("clusters {}: {} is more than the {} that any machine has: give a smaller number",
                                quoted(text), quoted(token), kMostCores));
  }
  if (number.value == 0) {
    return unusable(fmt::format("clusters {}: there must be at least one cluster, and one core in each", quoted(text)));
  }
  return static_cast<int>(number.value);
}

Result<ClusterGroup> parse_group(std::string_view group, std::string_view text) {
  const std::size_t times = group.find('x');
  if (times == std::string_view::npos) return not_clusters(text);
  const auto clusters = parse_count(group.substr(0, times), text);
  if (!clusters) return clusters.failure();
  const auto cores = parse_count(group.substr(times + 1), text);
  if (!cores) return cores.failure();
  return ClusterGroup{clusters.value(), cores.value()};
}

/// Indices of cores, in ascending order.
using Members = std::vector<std::size_t>;

/// The domains of the machine, each as a list of its cores. If a core occurs several times in `cores`, each occurrence
/// has its own domains.
class CoresByDomain {
 public:
  explicit CoresByDomain(const std::vector<Core>& cores) {
    std::map<int, int> seen;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      const int round = seen[cores[i].pu]++;
      for (const Domain& domain : cores[i].domains) domains_[{domain.kind, round, domain.index}].push_back(i);
    }
  }

  [[nodiscard]] std::vector<Members> of(DomainKind kind) const {
    std::vector<Members> found;
    for (const auto& [key, members] : domains_) {
      if (std::get<DomainKind>(key) == kind) found.push_back(members);
    }
    return found;
  }
  [[nodiscard]] std::vector<Members> all() const {
    std::vector<Members> found;
    for (const auto& [key, members] : domains_) found.push_back(members);
    return found;
  }

 private:
  std::map<std::tuple<DomainKind, int, int>, Members> domains_;
};

/// Chooses free cores that are near to one another, and marks them as taken.
class Dealer {
 public:
  explicit Dealer(const std::vector<Core>& cores) : free_(cores.size(), true), domains_(CoresByDomain(cores).all()) {
    Members everything(cores.size());
    std::iota(everything.begin(), everything.end(), std::size_t{0});
    for (const std::size_t core : everything) domains_.push_back({core});
    domains_.push_back(std::move(everything));
    std::ranges::stable_sort(domains_, [](const Members& a, const Members& b) {
      return a.size() != b.size() ? a.size() < b.size() : a.front() < b.front();
    });
  }

  /// Takes `count` cores. At least `count` cores must be free.
  Members take(std::size_t count) {
    Members taken;
    const Members* scope = &domains_.back();
    while (taken.size() < count) {
      const std::size_t rest = count - taken.size();
      if (const Members* inner = smallest_with(rest, *scope)) scope = inner;
      const Members* whole = free_count(*scope) == rest ? scope : &fullest_within(*scope);
      for (const std::size_t core : *whole) {
        if (free_[core]) taken.push_back(core);
        free_[core] = false;
      }
    }
    std::ranges::sort(taken);
    return taken;
  }

 private:
  [[nodiscard]] std::size_t free_count(const Members& domain) const {
    return static_cast<std::size_t>(std::ranges::count_if(domain, [this](std::size_t core) { return free_[core]; }));
  }
  /// Returns true if `domain` is smaller than `scope` and lies within it. Two domains have no common core, unless one
  /// domain contains the other.
  static bool is_smaller_within(const Members& domain, const Members& scope) {
    return domain.size() < scope.size() && std::ranges::binary_search(scope, domain.front());
  }
  /// Returns the smallest domain that lies within `scope`, is smaller than `scope` and has at least `count` free cores;
  /// null if there is no such domain.
  [[nodiscard]] const Members* smallest_with(std::size_t count, const Members& scope) const {
    const Members* best = nullptr;
    std::size_t fewest = 0;
    for (const Members& domain : domains_) {
      if (best != nullptr && domain.size() > best->size()) break;
      if (!is_smaller_within(domain, scope)) continue;
      const std::size_t free = free_count(domain);
      if (free < count || (best != nullptr && free >= fewest)) continue;
      best = &domain;
      fewest = free;
    }
    return best;
  }
  /// Returns the domain with the most free cores among those that lie within `scope` and are smaller than `scope`.
  /// `scope` must have more than one core.
  [[nodiscard]] const Members& fullest_within(const Members& scope) const {
    const Members* best = nullptr;
    std::size_t most = 0;
    for (const Members& domain : domains_) {
      if (!is_smaller_within(domain, scope)) continue;
      const std::size_t free = free_count(domain);
      if (best != nullptr && free <= most) continue;
      best = &domain;
      most = free;
    }
    return *best;
  }

  std::vector<bool> free_;
  /// The domains, the single cores and the whole machine, sorted by size, the smallest first, then by first core.
  std::vector<Members> domains_;
};

Core cluster_of(const std::vector<Core>& cores, const Members& members) {
  Core cluster = cores[members.front()];
  for (const std::size_t member : members) {
    if (member == members.front()) continue;
    const Core& core = cores[member];
    cluster.helper_pus.push_back(core.pu);
    std::erase_if(cluster.domains,
                  [&](const Domain& domain) { return std::ranges::find(core.domains, domain) == core.domains.end(); });
  }
  return cluster;
}

const Level& level_of(DomainKind kind) { return *std::ranges::find(kLevels, kind, &Level::kind); }

Result<std::vector<Members>> members_by_level(const Level& level, const std::vector<Core>& cores,
                                              const Machine& machine) {
  if (cores.empty()) {
    return unusable(
        fmt::format("clusters '{}': no core is left to run tasks: use fewer accelerators, or no clusters", level.name));
  }
  const bool one_node = level.kind == DomainKind::numa_node && machine.numa_nodes.size() < 2;
  std::vector<Members> domains = one_node ? std::vector<Members>() : CoresByDomain(cores).of(level.kind);
  if (domains.empty()) {
    return unusable(
        fmt::format("clusters '{}': this machine tells of {} {}: give their number and cores instead, such "
                    "as 1x{}",
                    level.name, one_node ? "only one" : "no", one_node ? level.one : level.several, cores.size()));
  }
  return domains;
}

Result<std::vector<Members>> members_by_groups(std::vector<ClusterGroup> groups, const std::vector<Core>& cores) {
  std::size_t total = 0;
  std::vector<ClusterGroup> possible;
  std::size_t left = cores.size();
  for (const ClusterGroup& group : groups) {
    const auto size = static_cast<std::size_t>(group.cores);
    total += static_cast<std::size_t>(group.clusters) * size;
    const std::size_t fit = std::min(static_cast<std::size_t>(group.clusters), left / size);
    left -= fit * size;
    if (fit > 0) possible.push_back({static_cast<int>(fit), group.cores});
  }
  if (total > cores.size()) {
    const std::string remedy = !possible.empty() ? "ask for " + to_string(possible)
                               : cores.empty()   ? "use fewer accelerators, or no clusters"
                                                 : fmt::format("ask for 1x{}", cores.size());
    return unusable(fmt::format("clusters '{}' take {} cores, but there {} {} to run tasks: {}", to_string(groups),
                                total, cores.size() == 1 ? "is" : "are", cores.size(), remedy));
  }
  std::ranges::stable_sort(groups, std::greater(), &ClusterGroup::cores);
  Dealer dealer(cores);
  std::vector<Members> clusters;
  for (const ClusterGroup& group : groups) {
    // Single cores are the cores that no cluster takes, so a group of single cores takes none here.
    for (int i = 0; group.cores > 1 && i < group.clusters; ++i) {
      clusters.push_back(dealer.take(static_cast<std::size_t>(group.cores)));
    }
  }
  return clusters;
}

std::size_t domains_spanned(DomainKind kind, const std::vector<Core>& cores, const Members& members) {
  std::set<int> spanned;
  for (const std::size_t member : members) {
    for (const Domain& domain : cores[member].domains) {
      if (domain.kind == kind) spanned.insert(domain.index);
    }
  }
  return spanned.size();
}

CpuSet pus_of(const std::vector<int>& pus) {
  const std::set<int> sorted(pus.begin(), pus.end());
  return {sorted.begin(), sorted.end()};
}

/// Returns a warning for each kind of border that clusters span. Each cluster is in at most one warning, about its
/// worst border. With `by_level` the user has requested clusters by level (such as sockets), and knows that these have
/// several caches, so there is no warning about caches.
std::vector<std::string> warnings_about(const std::vector<Core>& cores, std::vector<Members> clusters, bool by_level) {
  std::vector<std::string> warnings;
  for (const Level& border : kBorders) {
    if (by_level && border.kind == DomainKind::l3) break;
    std::size_t room = 0;
    for (const Members& domain : CoresByDomain(cores).of(border.kind)) room = std::max(room, domain.size());
    std::vector<std::string> names;
    std::size_t most = 0;
    std::erase_if(clusters, [&](const Members& members) {
      if (domains_spanned(border.kind, cores, members) < 2) return false;
      names.push_back(to_string(pus_of(cluster_of(cores, members).all_pus())));
      most = std::max(most, members.size());
      return true;
    });
    if (names.empty()) continue;
    const bool one = names.size() == 1;
    warnings.push_back(
        fmt::format("the cluster{} of cores {} {} several {}, which makes their data slower to reach: {}",
                    one ? "" : "s", fmt::join(names, " and "), one ? "spans" : "each span", border.several,
                    most <= room ? fmt::format("fewer clusters would leave room in one {}", border.one)
                                 : fmt::format("clusters of at most {} cores fit into one", room)));
  }
  return warnings;
}

}  // namespace

Result<ClusterSpecification> parse_clusters(std::string_view text) {
  for (const Level& level : kLevels) {
    if (text == level.name) return ClusterSpecification{level.kind, {}};
  }
  ClusterSpecification wanted;
  if (text == "single") return wanted;
  if (text == "auto") {
    return unusable(fmt::format(
        "'auto' stands for all that cores can form, and here one of these is meant: give numbers of clusters and their "
        "cores, such as 2x10, or a level ({})",
        level_names()));
  }
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const auto group = parse_group(text.substr(begin, end - begin), text);
    if (!group) return group.failure();
    wanted.groups.push_back(group.value());
    begin = end + 1;
  }
  return wanted;
}

Result<ClusterPlan> plan_clusters(const ClusterSpecification& wanted, const std::vector<Core>& cores,
                                  const Machine& machine) {
  auto clusters = wanted.level ? members_by_level(level_of(*wanted.level), cores, machine)
                               : members_by_groups(wanted.groups, cores);
  if (!clusters) return clusters.failure();
  std::vector<bool> in_cluster(cores.size());
  std::map<std::size_t, Core> by_first;
  for (const Members& members : clusters.value()) {
    by_first.emplace(members.front(), cluster_of(cores, members));
    for (const std::size_t member : members) in_cluster[member] = true;
  }
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (!in_cluster[i]) by_first.emplace(i, cores[i]);
  }
  ClusterPlan plan;
  for (auto& [first, core] : by_first) plan.cores.push_back(std::move(core));
  plan.warnings = warnings_about(cores, std::move(clusters).value(), wanted.level.has_value());
  return plan;
}

Result<ClusterPlan> plan_clusters(std::string_view wanted, const std::vector<Core>& cores, const Machine& machine) {
  const auto parsed = parse_clusters(wanted);
  if (!parsed) return parsed.failure();
  return plan_clusters(parsed.value(), cores, machine);
}

std::vector<ClusterLevel> cluster_levels(const std::vector<Core>& cores, const Machine& machine) {
  std::vector<ClusterLevel> levels;
  for (const Level& level : kLevels) {
    const auto plan = plan_clusters(ClusterSpecification{level.kind, {}}, cores, machine);
    if (plan) levels.push_back({std::string(level.name), to_string(groups_of(plan.value().cores))});
  }
  return levels;
}

std::string to_string(const std::vector<ClusterGroup>& groups) {
  std::string text;
  for (const ClusterGroup& group : groups) {
    text += fmt::format("{}{}x{}", text.empty() ? "" : "+", group.clusters, group.cores);
  }
  return text;
}

std::vector<ClusterGroup> groups_of(const std::vector<Core>& planned) {
  std::map<int, int, std::greater<>> counts;
  for (const Core& core : planned) ++counts[core.size()];
  std::vector<ClusterGroup> groups;
  for (const auto& [cores, clusters] : counts) groups.push_back({clusters, cores});
  return groups;
}

std::string worker_name(const Core& core) {
  if (core.helper_pus.empty()) return fmt::format("cpu core {}", core.pu);
  return fmt::format("cluster of {} cores {}", core.size(), to_string(pus_of(core.all_pus())));
}

}  // namespace troupe::platform
