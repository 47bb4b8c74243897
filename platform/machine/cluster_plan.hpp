/// Groups cores that work together as one worker. All functions are pure.
///
/// A *cluster* is one worker of several cores. A specification says which clusters there are: `2x10` means two clusters
/// of ten cores, `1x16+4x1` one cluster of sixteen cores and four single cores, and `socket`, `numa` or `l3` one
/// cluster for each such domain of the machine. Cores that are left over stay single; with `single` all cores stay
/// single.
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

/// Parses a specification. Fails with `invalid_argument` if the text is not one; the message lists the valid forms.
[[nodiscard]] Result<ClusterSpecification> parse_clusters(std::string_view text);

struct ClusterPlan {
  /// The clusters and single cores, in the order of their first cores.
  std::vector<Core> cores;
  /// Warnings for people, one line each, about clusters that span several NUMA nodes or caches.
  std::vector<std::string> warnings;
};

/// Groups `cores` of `machine`, which must be single cores in logical order.
///
/// A cluster goes to the smallest domain of the machine that has enough free cores; among domains of equal size, to the
/// domain with the fewest free cores. The cluster spans several caches or NUMA nodes only if none of them has room.
/// Within its domain, it takes all free cores of the inner domain with the most free cores, then finds the remaining
/// cores in the same way. Larger clusters choose first; the earlier domain wins a tie. If the specification is a level,
/// a domain with only one core stays single, and so does a core outside of all such domains. If cores occur several
/// times in `cores`, each occurrence counts as another machine. Fails with `invalid_argument` if there are too few
/// cores, or if the machine does not report the level; one NUMA node alone does not count as a level. Takes at most
/// cubic time in the number of cores.
[[nodiscard]] Result<ClusterPlan> plan_clusters(const ClusterSpecification& wanted, const std::vector<Core>& cores,
                                                const Machine& machine);

/// Parses the specification `wanted` and groups the cores by it.
[[nodiscard]] Result<ClusterPlan> plan_clusters(std::string_view wanted, const std::vector<Core>& cores,
                                                const Machine& machine);

struct ClusterLevel {
  /// The level's name, such as "socket".
  std::string name;
  /// The clusters into which this level divides the cores, such as "2x10".
  std::string clusters;
};

/// Returns the levels that the machine reports.
[[nodiscard]] std::vector<ClusterLevel> cluster_levels(const std::vector<Core>& cores, const Machine& machine);

/// Returns a text such as "2x10" or "1x16+4x1".
[[nodiscard]] std::string to_string(const std::vector<ClusterGroup>& groups);
/// Returns the groups of planned cores, the largest first; empty if there are no cores.
[[nodiscard]] std::vector<ClusterGroup> groups_of(const std::vector<Core>& planned);

/// Returns "cpu core 3" or "cluster of 4 cores 0-3" (numbers of processing units).
[[nodiscard]] std::string worker_name(const Core& core);

}  // namespace troupe::platform
