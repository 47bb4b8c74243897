/// The cores of this machine that the process may use, and the cores that it takes.
///
/// The usable cores are those that every limit allows: the cpuset and affinity mask of the process, a restriction that
/// the user gives, and the processor time that control groups grant (a container with `--cpus 1.5` can keep two threads
/// busy). The result is a plain value; it does not change when the limits change later.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/machine/cgroup.hpp"
#include "platform/machine/host_memory.hpp"
#include "platform/machine/machine.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

struct TopologyOptions {
  /// The number of cores to take; 0 takes all allowed cores.
  int cores = 0;
  /// If true, every hyperthread counts as a separate core. Dense linear algebra seldom gains from this, since
  /// hyperthreads share the arithmetic units and caches of their core.
  bool use_hyperthreads = false;
  /// If true, more cores than allowed may be requested: cores are then taken several times, beginning with the first,
  /// and no thread is bound. Meant for tests.
  bool oversubscribe = false;
  /// The processing units to which the choice is restricted, by the operating system's index: `0-3,8`. Empty restricts
  /// nothing. Indices that the machine does not have are ignored.
  std::string restrict_to = {};
  /// The machine to assume in place of the real machine, in hwloc's notation: `package:2 l3:2 core:4 pu:2`. An empty
  /// text means this machine, or the machine that hwloc's environment variables (HWLOC_SYNTHETIC, HWLOC_XMLFILE) name.
  std::string synthetic = {};
  /// The folder that contains /proc and the control groups; empty stands for `/`. For an assumed machine (`synthetic`),
  /// the processor time of control groups counts only if a folder is given, since the real limits belong to the real
  /// machine.
  std::string system_root = {};
};

/// The cores to work on, and the machine and limits that determined them.
struct Topology {
  /// One entry per worker, in logical order: neighbours in this list are near to one another. If not all allowed cores
  /// are taken, the choice is compact, so that the cores share caches and memory (see `compact_choice`). All are single
  /// cores until `form_clusters` groups them.
  std::vector<Core> cores;
  /// The number of cores that the process may take.
  int allowed_cores = 0;
  /// The processing units that the affinity mask and the restriction allow.
  CpuSet allowed_pus;
  /// The processor time that control groups grant; nothing if they set no limit.
  std::optional<CpuQuota> cpu_quota;
  /// True if threads should be bound to `cores`. They should not be bound in three cases: the machine is only
  /// described, a core is taken more than once, or a limit of processor time determines the number of cores. Such a
  /// limit does not say which cores belong to this process: if every container on a machine bound its threads to the
  /// first cores, all containers would share these cores.
  bool bindable = false;
  /// The reason why threads should not be bound, in words; empty if `bindable`.
  std::string unbindable_because;
  /// Every limit that was found, each in words.
  std::vector<std::string> limits;
  /// Remarks for people about the clusters; not errors.
  std::vector<std::string> warnings;
  /// The memory of the real machine at the time of discovery; `read_host_memory` returns the current state.
  HostMemory memory;
  /// The whole machine, including the processing units that this process may not use.
  Machine machine;

  /// Inspects the machine and applies the limits. May be called from any thread; takes milliseconds. Fails with
  /// `invalid_argument` for options that cannot be used; with `platform` if the machine cannot be inspected, no core is
  /// left, or more cores are requested than are allowed (the message names the limit).
  [[nodiscard]] static Result<Topology> discover(const TopologyOptions& options = {});

  /// Groups `cores` by `specification` (platform/machine/cluster_plan.hpp); an empty specification leaves them single.
  /// Call it once, after the removal of the cores that run no tasks. Fails with `invalid_argument`.
  [[nodiscard]] Result<void> form_clusters(const std::string& specification);

  /// Returns all other cores in rings by nearness to `cores[core]`, as indices into `cores`. A worker that steals tasks
  /// (a thief) asks the other workers in this order. See `rings_around`.
  [[nodiscard]] std::vector<std::vector<int>> victim_order(int core) const;

  /// Returns the cores by NUMA node, as indices into `cores`: one entry per node that has cores, in the machine's
  /// order. A cluster belongs to the node of its first core.
  [[nodiscard]] std::vector<std::vector<int>> cores_by_numa_node() const;
};

}  // namespace troupe::platform
