/// What a machine consists of, as plain values: processing units, caches, NUMA nodes, packages.
///
/// Nothing here knows what this process may use; that is platform/machine/topology.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/cpu_set.hpp"
#include "proto/errors.hpp"
#include "proto/units.hpp"

namespace troupe::platform {

/// What cores can have in common.
enum class DomainKind : std::uint8_t { core, l1, l2, l3, l4, l5, die, numa_node, group, package, machine };

/// One part of the machine that several cores may share. Equal values are the same part.
struct Domain {
  DomainKind kind = DomainKind::machine;
  /// Unique among the domains of this kind; dense from zero except for groups.
  int index = 0;

  friend bool operator==(const Domain&, const Domain&) = default;
};

/// A place that one thread runs on: one PU of a physical core; or a cluster, which stands here by its first core.
struct Core {
  /// The operating system's index of the PU, which a thread is bound to.
  int pu = 0;
  /// Logical index of the physical core in the whole machine; hyperthreads of one core have the same.
  int core = 0;
  /// Logical index of the package (socket); 0 where the machine tells of none.
  int package = 0;
  /// Index into `Machine::numa_nodes` of the nearest one.
  int numa_node = 0;
  /// Every domain that the whole of it is in, innermost first and the machine last. Each contains the one before it.
  std::vector<Domain> domains;
  /// The PUs of a cluster's other cores (`plan_clusters`); empty: this is a single core.
  std::vector<int> helper_pus = {};

  [[nodiscard]] int size() const { return 1 + static_cast<int>(helper_pus.size()); }
  /// All its PUs, its first core's first.
  [[nodiscard]] std::vector<int> all_pus() const;
};

/// All data caches of one level and size.
struct CacheLevel {
  int level = 1;
  Bytes size;
  /// How many there are, and how many PUs share one.
  int count = 0;
  int pus_each = 0;
};

struct NumaNode {
  /// The operating system's index.
  int os_index = 0;
  /// What the node has in total; zero where the machine does not tell.
  Bytes memory;
};

/// The whole machine, allowed or not.
struct Machine {
  /// `unknown processor` where the machine does not tell.
  std::string cpu_model;
  int packages = 0;
  /// Physical cores.
  int cores = 0;
  /// By level, then size.
  std::vector<CacheLevel> caches;
  /// By logical index.
  std::vector<NumaNode> numa_nodes;
  /// Every PU, by logical index: neighbours in this list are neighbours in the machine.
  std::vector<Core> pus;
  /// The PUs that the operating system lets this process use (cpuset and affinity mask of the process, which is the
  /// union over its threads). Of a described machine: all.
  CpuSet allowed;
  /// Whether the PUs exist here, so that threads can be bound to them.
  bool this_system = false;
};

/// Inspects this machine with hwloc, or builds the one that `synthetic` describes in hwloc's notation
/// (`package:2 l3:2 core:4 pu:2`). Where `synthetic` is empty, hwloc's own environment variables hold
/// (HWLOC_SYNTHETIC, HWLOC_XMLFILE, HWLOC_THISSYSTEM). May be called by any thread; takes milliseconds.
/// Fails with `invalid_argument` for a description that hwloc refuses, else with `platform`.
[[nodiscard]] Result<Machine> inspect_machine(const std::string& synthetic);

}  // namespace troupe::platform
