#include "platform/machine/cluster_candidates.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "platform/machine/cluster_plan.hpp"

namespace troupe::platform {
namespace {

/// All sizes of clusters up to this size are candidates.
constexpr int kSmallSize = 16;

/// Returns the number of cores of each domain of this kind (such as each L3 cache), the largest first.
std::vector<int> sizes_of_domains(const std::vector<Core>& cores, DomainKind kind) {
  std::map<int, int> by_index;
  for (const Core& core : cores) {
    for (const Domain& domain : core.domains) {
      if (domain.kind == kind) ++by_index[domain.index];
    }
  }
  std::vector<int> sizes;
  for (const auto& [index, count] : by_index) sizes.push_back(count);
  std::ranges::sort(sizes, std::greater());
  return sizes;
}

/// Returns the sizes of the domains inside of which clusters should lie: L3 caches; if there are none, NUMA nodes; if
/// there are none either, packages.
std::vector<int> domain_sizes(const std::vector<Core>& cores, const Machine& machine) {
  constexpr std::array kKinds{DomainKind::l3, DomainKind::numa_node, DomainKind::package};
  for (const DomainKind kind : kKinds) {
    if (kind == DomainKind::numa_node && machine.numa_nodes.size() < 2) continue;
    std::vector<int> sizes = sizes_of_domains(cores, kind);
    if (!sizes.empty()) return sizes;
  }
  return {static_cast<int>(cores.size())};
}

/// Returns the sizes of candidate clusters, in ascending order.
std::set<int> cluster_sizes(const std::vector<int>& domains) {
  std::set<int> sizes;
  for (const int domain : domains) {
    for (int size = domain; size > 1; size = size > kSmallSize ? size * 4 / 5 : size - 1) sizes.insert(size);
    for (int pieces = 2; domain / pieces > kSmallSize; ++pieces) sizes.insert(domain / pieces);
  }
  return sizes;
}

/// Returns the numbers of clusters to try for a size.
std::set<int> cluster_counts(const std::vector<int>& domains, int size) {
  int most = 0;
  int with_room = 0;
  for (const int domain : domains) {
    most += domain / size;
    with_room += domain >= size ? 1 : 0;
  }
  std::set<int> counts{with_room};
  for (int count = most; count > 0; count /= 2) counts.insert(count);
  return counts;
}

/// Returns a text such as "1x12+1x11".
std::string groups_of_sizes(const std::vector<int>& sizes) {
  std::map<int, int, std::greater<>> counts;
  for (const int size : sizes) ++counts[size];
  std::vector<ClusterGroup> groups;
  for (const auto& [size, count] : counts) groups.push_back({count, size});
  return to_string(groups);
}

/// Returns a specification that keeps the first `whole` domains whole and halves the others.
std::string whole_and_halved(const std::vector<int>& domains, std::size_t whole) {
  std::vector<int> sizes(domains.begin(), domains.begin() + static_cast<std::ptrdiff_t>(whole));
  for (std::size_t i = whole; i < domains.size(); ++i) {
    for (int half = 0; half < 2 && domains[i] >= 2; ++half) sizes.push_back(domains[i] / 2);
  }
  return groups_of_sizes(sizes);
}

/// Returns the specifications of all candidates, in the order in which they are tried; some may be equal or impossible.
std::vector<std::string> specifications(const std::vector<Core>& cores, const Machine& machine, Spanning spanning) {
  const std::vector<int> domains = domain_sizes(cores, machine);
  std::vector<std::string> all{""};
  for (const int size : cluster_sizes(domains)) {
    for (const int count : cluster_counts(domains, size)) all.push_back(to_string({ClusterGroup{count, size}}));
  }
  for (std::size_t whole = (domains.size() + 1) / 2; whole < domains.size(); whole = (whole + domains.size() + 1) / 2) {
    all.push_back(whole_and_halved(domains, whole));
  }
  all.push_back(groups_of_sizes(domains));
  for (const ClusterLevel& level : cluster_levels(cores, machine)) all.push_back(level.name);
  // Clusters that span domains come last. If several specifications give the same workers, only the first is kept,
  // which should have no clusters that span domains.
  if (spanning == Spanning::allowed) {
    const int total = static_cast<int>(cores.size());
    for (int size = total; size > domains.front(); size = size * 4 / 5)
      all.push_back(to_string({ClusterGroup{1, size}}));
    for (int pieces = 2; total / pieces > 1; pieces *= 2) {
      all.push_back(to_string({ClusterGroup{pieces, total / pieces}}));
    }
  }
  return all;
}

}  // namespace

std::vector<ClusterCandidate> cluster_candidates(const std::vector<Core>& cores, const Machine& machine,
                                                 Spanning spanning) {
  std::vector<ClusterCandidate> candidates;
  if (cores.empty()) return candidates;
  std::set<std::string> seen;
  for (std::string& wanted : specifications(cores, machine, spanning)) {
    if (wanted.empty()) {
      candidates.push_back({"", to_string(groups_of(cores)), 1, static_cast<int>(cores.size())});
      seen.insert(candidates.back().workers);
      continue;
    }
    const auto plan = plan_clusters(wanted, cores, machine);
    if (!plan || (spanning == Spanning::avoided && !plan.value().warnings.empty())) continue;
    const std::vector<ClusterGroup> groups = groups_of(plan.value().cores);
    std::string workers = to_string(groups);
    if (seen.insert(workers).second) {
      candidates.push_back(
          {std::move(wanted), std::move(workers), groups.front().cores, static_cast<int>(plan.value().cores.size())});
    }
  }
  return candidates;
}

}  // namespace troupe::platform
