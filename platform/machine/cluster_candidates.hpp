/// The candidate clusters of a search for the best sizes. Plain functions of plain values.
#pragma once

#include <string>
#include <vector>

#include "platform/machine/machine.hpp"

namespace troupe::platform {

/// The specification that asks for clusters chosen from these candidates. A runtime makes this choice while tasks run.
inline constexpr const char* kAutomaticClusters = "auto";

/// One way to group the cores.
struct ClusterCandidate {
  /// The text that asks for this grouping: "2x10", "socket"; empty for single cores. "auto" stands for all candidates,
  /// one after the other, as suits the remaining work (never one of `cluster_candidates`).
  std::string specification;
  /// The workers of this grouping, single cores included: "2x10+3x1". If all cores are alike, this text also asks for
  /// this grouping. For "auto" it is "changing".
  std::string workers;
  /// The number of cores of the largest cluster.
  int largest = 1;
  /// The number of clusters and single cores.
  int count = 0;

  [[nodiscard]] bool changes() const { return specification == kAutomaticClusters; }
  /// Returns the text that asks for this grouping in virtual time, where a level such as "socket" may not exist.
  [[nodiscard]] const std::string& in_virtual_time() const { return changes() ? specification : workers; }
};

/// Says whether clusters may span several memories. Allow it only if known times show how fast such clusters are.
enum class Spanning { avoided, allowed };

/// Returns different groupings of `cores`, which are single and in logical order: single cores first, then by the size
/// of their clusters, the smallest first. Empty if there is no core.
///
/// The *parts* are the L3 caches or, where the machine reports none, its NUMA nodes, or else its sockets. Clusters
/// lie inside of one part, or are whole sockets or NUMA nodes; other clusters would span several memories. The
/// sizes are all numbers up to sixteen or the largest part. Above sixteen they are each part's size, 4/5 of it, 4/5
/// of that, and so on, and each part's half, third, …. Of each size there are as many clusters as the parts have
/// room for, half of that, a quarter, …, one in each part, and one alone. In addition there are groupings with all
/// parts whole, and with some parts whole and the others halved. These are 26 groupings of twenty cores in two
/// parts, some 80 of a hundred. Where clusters may span parts, there are in addition one cluster of all cores, one
/// of 4/5 of them, and so on, down to the largest part; and 2, 4, 8, … clusters of all cores. O(groupings *
/// cores^3).
[[nodiscard]] std::vector<ClusterCandidate> cluster_candidates(const std::vector<Core>& cores, const Machine& machine,
                                                               Spanning spanning = Spanning::avoided);

}  // namespace troupe::platform
