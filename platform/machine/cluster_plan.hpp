/// Groups cores that work together as one worker. Plain functions of plain values.
///
/// A *cluster* is one worker of several cores. A specification says which clusters there are: `2x10` means two of ten
/// cores, `1x16+4x1` one of sixteen and four single cores, `socket`, `numa` or `l3` one for each such part of the
/// machine. Cores that are left over stay single; with `single` all cores stay single.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/machine/machine.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

/// A number of clusters of equal size; clusters of one core are single cores.
struct ClusterGroup {
  int clusters = 1;
  int cores = 1;
};

/// The content of a specification: a level, or groups.
struct ClusterSpecification {
  std::optional<DomainKind> level = std::nullopt;
  std::vector<ClusterGroup> groups = {};
};

/// Parses a specification. Fails with `invalid_argument` if the text is something else; the message says what it may
/// be.
[[nodiscard]] Result<ClusterSpecification> parse_clusters(std::string_view text);

struct ClusterPlan {
  /// The clusters and single cores, in the order of their first cores.
  std::vector<Core> cores;
  /// Warnings for people, one line each: clusters that span several NUMA nodes or caches.
  std::vector<std::string> warnings;
};

/// Groups `cores` of `machine`, which are single and in logical order.
///
/// A cluster goes to the smallest part of the machine that has enough free cores, and of parts of one size to the one
/// with the fewest free. It spans several caches or NUMA nodes only if none has room. Within its part it takes the
/// smaller part with the most free cores whole, then looks for the rest in the same way. Larger clusters choose first;
/// the earlier part wins a tie. With a level, a part with one core stays single, and so does a core that is in no such
/// part. Cores that are handed out several times count as that many machines. Fails with `invalid_argument` if there
/// are fewer cores than asked for, or the machine does not report the level; one NUMA node alone does not count as a
/// level. Takes at most cubic time in the number of cores.
[[nodiscard]] Result<ClusterPlan> plan_clusters(const ClusterSpecification& wanted, const std::vector<Core>& cores,
                                                const Machine& machine);

/// Parses the text and groups the cores.
[[nodiscard]] Result<ClusterPlan> plan_clusters(std::string_view wanted, const std::vector<Core>& cores,
                                                const Machine& machine);

struct ClusterLevel {
  /// The level's name, such as "socket".
  std::string name;
  /// The clusters that this level makes of the cores, such as "2x10".
  std::string clusters;
};

/// Returns the levels that the machine reports.
[[nodiscard]] std::vector<ClusterLevel> cluster_levels(const std::vector<Core>& cores, const Machine& machine);

/// Returns a text such as "2x10" or "1x16+4x1".
[[nodiscard]] std::string to_string(const std::vector<ClusterGroup>& groups);
/// Returns the groups of planned cores, the largest first; empty if there are no cores.
[[nodiscard]] std::vector<ClusterGroup> groups_of(const std::vector<Core>& planned);

/// Returns "cpu core 3" or "cluster of 4 cores 0-3" (by PU).
[[nodiscard]] std::string worker_name(const Core& core);

}  // namespace troupe::platform
