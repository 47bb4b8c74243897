/// The part of this machine that the process may use, and the cores that it takes.
///
/// The cores that may be used are those that pass every limit: the cpuset and affinity mask of the process, a
/// restriction that the user gives, and the processor time that control groups grant (a container with `--cpus 1.5` can
/// keep two threads busy). The result is a plain value; it does not follow later changes.
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
  /// The number of cores to take; 0 takes all that are allowed.
  int cores = 0;
  /// If true, every hyperthread counts as a core of its own. Dense linear algebra seldom gains from it, since the
  /// threads share the arithmetic units and caches of their core.
  bool use_hyperthreads = false;
  /// If true, more cores than allowed are handed out by beginning again at the first one, and nothing is bound. For
  /// tests.
  bool oversubscribe = false;
  /// The PUs to which the choice is restricted, by the operating system's index: `0-3,8`. Empty restricts nothing.
  /// Indices that the machine does not have are ignored.
  std::string restrict_to = {};
  /// A machine to pretend, in hwloc's notation: `package:2 l3:2 core:4 pu:2`. If empty, it is this machine, or the one
  /// that hwloc's environment variables (HWLOC_SYNTHETIC, HWLOC_XMLFILE) name.
  std::string synthetic = {};
  /// The folder below which /proc and the control groups are looked for; empty stands for `/`. The processor time of
  /// control groups limits a pretended machine only if a folder is given, since the real limits concern the real
  /// machine.
  std::string system_root = {};
};

/// The cores to work on, and the machine and limits that led to them.
struct Topology {
  /// One entry per worker, in logical order: neighbours in this list are near to one another. If fewer are taken than
  /// are allowed, they are chosen compactly, so that they share caches and memory (`compact_choice` says how). All are
  /// single cores until `form_clusters` groups them.
  std::vector<Core> cores;
  /// The number of cores that could have been taken.
  int allowed_cores = 0;
  /// The PUs that the affinity mask and the restriction allow.
  CpuSet allowed_pus;
  /// The processor time that control groups grant; nothing if they do not limit.
  std::optional<CpuQuota> cpu_quota;
  /// True if threads should be bound to `cores`. They should not if the machine is only described, if cores are handed
  /// out more than once, or if processor time limits their number: such a limit does not say which cores are ours, and
  /// if every container of a machine bound its threads to the first cores, all would share those.
  bool bindable = false;
  /// The reason why threads should not be bound, in words; empty if `bindable`.
  std::string unbindable_because;
  /// Every limit that was found, each in words for people.
  std::vector<std::string> limits;
  /// Remarks for people about the clusters, which are no errors.
  std::vector<std::string> warnings;
  /// The memory of the real machine at the time of discovery; `read_host_memory` returns the current state.
  HostMemory memory;
  /// The whole machine, allowed or not.
  Machine machine;

  /// Inspects the machine and applies the limits. May be called from any thread; takes milliseconds. Fails with
  /// `invalid_argument` for options that cannot be used; with `platform` if the machine cannot be inspected, no core is
  /// left, or more cores are asked for than are allowed (the message names the limit).
  [[nodiscard]] static Result<Topology> discover(const TopologyOptions& options = {});

  /// Groups `cores` by `specification` (platform/machine/cluster_plan.hpp); an empty one leaves them single. Call it
  /// once, after taking out the cores that run no tasks. Fails with `invalid_argument`.
  [[nodiscard]] Result<void> form_clusters(const std::string& specification);

  /// Returns all other cores in rings by nearness to `cores[core]`, as indices into `cores`. This is the order in which
  /// a thief asks victims for tasks. See `rings_around`.
  [[nodiscard]] std::vector<std::vector<int>> victim_order(int core) const;

  /// Returns the cores by NUMA node, as indices into `cores`: one entry per node that has cores, in the machine's
  /// order. A cluster is at its first core's node.
  [[nodiscard]] std::vector<std::vector<int>> cores_by_numa_node() const;
};

}  // namespace troupe::platform
