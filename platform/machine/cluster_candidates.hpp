/// The candidate clusters of a search for the best sizes. All functions are pure.
#pragma once

#include <string>
#include <vector>

#include "platform/machine/machine.hpp"

namespace troupe::platform {

/// The specification with which a runtime chooses among these candidates itself, while tasks run.
inline constexpr const char* kAutomaticClusters = "auto";

/// One way to group the cores.
struct ClusterCandidate {
  /// The text that requests this grouping: "2x10", "socket"; empty for single cores. "auto" means that the runtime
  /// changes the grouping during the run, to suit the remaining work; `cluster_candidates` does not return it.
  std::string specification;
  /// The workers of this grouping, single cores included: "2x10+3x1". If all cores are alike, this text requests the
  /// same grouping as `specification`. For "auto" this is "changing".
  std::string workers;
  /// The number of cores of the largest cluster.
  int largest = 1;
  /// The number of clusters and single cores.
  int count = 0;

  [[nodiscard]] bool changes() const { return specification == kAutomaticClusters; }
  /// Returns the text that requests this grouping in virtual time, where a level such as "socket" may not exist.
  [[nodiscard]] const std::string& in_virtual_time() const { return changes() ? specification : workers; }
};

/// Says whether clusters may span several memories. Allow it only if known times show how fast such clusters are.
enum class Spanning { avoided, allowed };

/// Returns different groupings of `cores`, which must be single cores in logical order. The first grouping has single
/// cores only; the others are sorted by the size of their clusters, the smallest first. Returns nothing if there is no
/// core.
///
/// The *domains* are the L3 caches or, if the machine reports none, its NUMA nodes, or else its sockets. Clusters lie
/// inside of one domain, or are whole sockets or NUMA nodes; other clusters would span several memories. The sizes are
/// all numbers up to sixteen, or up to the size of the largest domain if that is smaller. The sizes above sixteen are
/// each domain's size, reduced by a fifth again and again, and each domain's half, third, …. For each size, the
/// groupings have as many clusters as the domains have room for, half as many, a quarter, …, one in each domain, and
/// one alone. In addition there are groupings in which every domain is a cluster, and groupings in which some domains
/// are clusters and the others are halved. Twenty cores in two domains have 26 groupings, a hundred cores about 80. If
/// clusters may span domains, there are in addition one cluster of all cores, one of 4/5 of them, and so on, down to
/// the largest domain; and 2, 4, 8, … clusters that together have all cores. Takes O(groupings * cores^3).
[[nodiscard]] std::vector<ClusterCandidate> cluster_candidates(const std::vector<Core>& cores, const Machine& machine,
                                                               Spanning spanning = Spanning::avoided);

}  // namespace troupe::platform
