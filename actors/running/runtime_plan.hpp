/// Runtime plan: the devices and options of a runtime, decided before any actor starts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "actors/scheduler/policy.hpp"
#include "actors/simulating/kernel_timer.hpp"
#include "actors/workers/grouping.hpp"
#include "graph/codelets/device_set.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "platform/accelerators/host_device.hpp"
#include "platform/machine/cluster_candidates.hpp"
#include "platform/machine/cluster_stages.hpp"
#include "platform/machine/topology.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/ids.hpp"
#include "troupe/runtime_options.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

/// The name of a policy that the program itself provides.
inline constexpr const char* kOwnPolicy = "custom";

/// One worker's device, memory node and processing units.
struct WorkerPlace {
  DescribedDevice device;
  NodeId node = NodeId(0);
  /// Points into `host_devices`; null for all other devices.
  platform::HostDevice* in_place = nullptr;
  /// The number of tasks that the device takes at the same time; 0 stands for the usual number of the device's kind.
  std::size_t slots = 0;
  /// The name for people: "cpu core 3", "cluster of 4 cores 0-3", "GPU 0".
  std::string name;
  /// The name of the device's model, such as "AMD EPYC". Empty if the model is not known.
  std::string model;
  /// The processing unit of the worker's core, or -1 if there is none. For an accelerator, the unit from which its
  /// kernels are started; for a cluster, the unit of its master, which is the thread that drives the cluster.
  int pu = -1;
  /// The processing units of a cluster's cores other than the master's: `device.type.cores` - 1 units.
  std::vector<int> helper_pus;

  /// Returns the processing units of a core or a cluster, the master's first; empty for an accelerator.
  [[nodiscard]] std::vector<int> members() const;
};

struct RuntimePlan {
  RuntimeOptions options;
  /// The clusters at the start and, if cores can be regrouped, the clusters of later stages.
  std::vector<platform::ClusterStage> stages;
  /// If the runtime chooses its clusters itself: the clusterings from which it chooses. Otherwise empty.
  std::vector<platform::ClusterCandidate> candidates;
  platform::Topology topology;
  /// The place of each worker: the cores and clusters of cores, then the GPUs.
  std::vector<WorkerPlace> places;
  /// The accelerators of this machine, real or emulated, by memory node from 1 on. Empty for a described machine.
  std::vector<std::unique_ptr<platform::Accelerator>> accelerators;
  /// The devices, other than cores, that work in host memory and have no memory of their own.
  std::vector<std::unique_ptr<platform::HostDevice>> host_devices;
  scheduler::Policy policy;

  [[nodiscard]] std::vector<DeviceKind> kinds() const;
  /// Returns the names of the workers.
  [[nodiscard]] static std::vector<NamedWorker> names_of(std::span<const WorkerPlace> places);
  /// Returns the number of memory nodes: the host's and one for each GPU.
  [[nodiscard]] std::size_t nodes() const;
  /// Returns true if no actor has a thread of its own: all actors run in the program's thread that waits for tasks.
  [[nodiscard]] bool cooperative() const { return options.threads.deterministic || options.simulation; }

  /// Returns true if there are memories other than host memory, so that tasks' data have to be copied.
  [[nodiscard]] bool fetches() const { return options.simulation != nullptr || !accelerators.empty(); }

  /// Makes the plan for a runtime with these options. `placing` is a policy that the program defines, or null. Fails
  /// with `invalid_argument` or `platform`.
  static Result<RuntimePlan> make(const RuntimeOptions& options, std::unique_ptr<scheduler::PlacingPolicy> placing);
};

/// Groups single cores, by their numbers in `topology`, according to the specification `clusters`; with "" each core is
/// alone. Fails like `platform::plan_clusters`.
[[nodiscard]] Result<workers::Grouping::Groups> groups_of(const std::string& clusters,
                                                          const platform::Topology& topology);

}  // namespace troupe::actors
