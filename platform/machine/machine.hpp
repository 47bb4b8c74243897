/// A machine, as plain values: processing units (PUs), caches, NUMA nodes, packages.
///
/// The choice of the cores that this process works on is in platform/machine/topology.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/cpu_set.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// The kinds of units of a machine that cores can share.
enum class DomainKind : std::uint8_t { core, l1, l2, l3, l4, l5, die, numa_node, group, package, machine };

/// One unit of the machine that several cores may share. Two values are equal if they are the same unit.
struct Domain {
  DomainKind kind = DomainKind::machine;
  /// The index is unique among the domains of this kind. Indices count from zero without gaps, except for groups.
  int index = 0;

  friend bool operator==(const Domain&, const Domain&) = default;
};

/// A place where a worker runs: one processing unit of a physical core, or a cluster, described by its first core.
struct Core {
  /// The operating system's index of the processing unit that a thread is bound to.
  int pu = 0;
  /// The logical index of the physical core in the whole machine; hyperthreads of one core have the same index.
  int core = 0;
  /// The logical index of the package (socket); 0 if the machine does not report packages.
  int package = 0;
  /// The index of the nearest node in `Machine::numa_nodes`.
  int numa_node = 0;
  /// The domains that contain the whole core or cluster, innermost first and the machine last. Each domain contains the
  /// previous domain.
  std::vector<Domain> domains;
  /// The processing units of a cluster's other cores (`plan_clusters`); empty for a single core.
  std::vector<int> helper_pus = {};

  [[nodiscard]] int size() const { return 1 + static_cast<int>(helper_pus.size()); }
  /// Returns all processing units, beginning with that of the first core.
  [[nodiscard]] std::vector<int> all_pus() const;
};

/// All data caches of one level and size.
struct CacheLevel {
  int level = 1;
  Bytes size;
  /// The number of caches of this level and size, and the number of processing units that share one cache.
  int count = 0;
  int pus_each = 0;
};

struct NumaNode {
  /// The operating system's index.
  int os_index = 0;
  /// The total memory of the node; zero if the machine does not report it.
  Bytes memory;
};

/// The whole machine, including the processing units that this process may not use.
struct Machine {
  /// The processor's model; `unknown processor` if the machine does not report it.
  std::string cpu_model;
  int packages = 0;
  /// The number of physical cores.
  int cores = 0;
  /// The caches, sorted by level, then size.
  std::vector<CacheLevel> caches;
  /// The NUMA nodes, sorted by logical index.
  std::vector<NumaNode> numa_nodes;
  /// Every processing unit, by logical index: neighbours in this list are neighbours in the machine.
  std::vector<Core> pus;
  /// The processing units (PUs) that the system lets this process use: those within its cpuset and within the affinity
  /// masks of its threads (the union of these masks). For a described machine, all PUs.
  CpuSet allowed;
  /// True if the processing units exist on the computer that runs this process, so that threads can be bound to them.
  bool this_system = false;
};

/// Inspects this machine with hwloc, or builds the machine that `synthetic` describes in hwloc's notation (`package:2
/// l3:2 core:4 pu:2`). If `synthetic` is empty, hwloc reads its own environment variables (HWLOC_SYNTHETIC,
/// HWLOC_XMLFILE, HWLOC_THISSYSTEM). May be called from any thread; takes milliseconds. Fails with `invalid_argument`
/// for a description that hwloc refuses, otherwise with `platform`.
[[nodiscard]] Result<Machine> inspect_machine(const std::string& synthetic);

}  // namespace troupe::platform
