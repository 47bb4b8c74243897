/// Which clusters a search for the best sizes looks at. Plain functions of plain values.
#pragma once

#include <string>
#include <vector>

#include "platform/machine/machine.hpp"

namespace troupe::platform {

/// Asks for clusters that are chosen from these. In a runtime: while tasks run.
inline constexpr const char* kAutomaticClusters = "auto";

/// One way to group the cores.
struct ClusterCandidate {
  /// Asks for it: "2x10", "socket"; empty for single cores. "auto": all of them, one after the other, as suits what is
  /// left to do (never one of `cluster_candidates`).
  std::string specification;
  /// What comes of it, single cores included: "2x10+3x1". Asks for it as well, where cores are all alike. Of "auto":
  /// "changing".
  std::string workers;
  /// Cores of its largest cluster.
  int largest = 1;
  /// Clusters and single cores.
  int count = 0;

  [[nodiscard]] bool changes() const { return specification == kAutomaticClusters; }
  /// Asks for it in virtual time, where a level may be no more than what it makes.
  [[nodiscard]] const std::string& in_virtual_time() const { return changes() ? specification : workers; }
};

/// Whether clusters may span several memories, as far as what is known of their times says how they do there.
enum class Spanning { avoided, allowed };

/// Groupings of `cores`, which are single and in logical order, that differ: single cores first, then by the size of
/// their clusters, the smallest first. No core: none.
///
/// The *parts* are the L3 caches or, where the machine tells of none, its NUMA nodes, else its sockets; clusters lie
/// inside of one, or are whole sockets or NUMA nodes: no others, as they span several memories. Of the sizes up to the
/// largest part there are all up to sixteen, above that each at most 4/5 of the one before; and of each size as many
/// clusters as the parts have room for, half, a quarter, … of them, one in each part, and one alone. Besides there are
/// all parts whole, where they are unequal, and one part whole beside others that are halved. That makes 26 groupings
/// of twenty cores in two parts, some 80 of a hundred. Where they may span parts, there are besides all cores together
/// and single clusters of 4/5 of that, and so on, down to the largest part; and numbers of clusters that only fit in
/// so. O(groupings * cores^3).
[[nodiscard]] std::vector<ClusterCandidate> cluster_candidates(const std::vector<Core>& cores, const Machine& machine,
                                                               Spanning spanning = Spanning::avoided);

}  // namespace troupe::platform
