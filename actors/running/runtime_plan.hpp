/// What a runtime consists of, decided before any actor starts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "actors/running/runtime_options.hpp"
#include "actors/scheduler/policy.hpp"
#include "actors/simulating/kernel_timer.hpp"
#include "actors/workers/grouping.hpp"
#include "graph/codelets/device_set.hpp"
#include "platform/accelerators/accelerator.hpp"
#include "platform/accelerators/host_device.hpp"
#include "platform/machine/cluster_candidates.hpp"
#include "platform/machine/cluster_stages.hpp"
#include "platform/machine/topology.hpp"
#include "proto/device_kinds.hpp"
#include "proto/errors.hpp"
#include "proto/ids.hpp"

namespace troupe::actors {

/// What a policy of the program's own is called.
inline constexpr const char* kOwnPolicy = "custom";

/// One worker: its device and its memory.
struct WorkerPlace {
  DescribedDevice device;
  NodeId node = NodeId(0);
  /// Of the plan's; null where it is none of these.
  platform::HostDevice* in_place = nullptr;
  /// Tasks that it takes at a time; 0: as many as its kind.
  std::size_t slots = 0;
  /// For people: "cpu core 3", "cluster of 4 cores 0-3", "GPU 0".
  std::string name;
  /// Of the device, as its maker calls it: "AMD EPYC". Empty where nobody says.
  std::string model;
  /// The processing unit, or -1. An accelerator's is where its kernels are started from; a cluster's that of its
  /// master, the thread that drives it.
  int pu = -1;
  /// Of a cluster's other cores; as many as `device.type.cores` less one.
  std::vector<int> helper_pus;

  /// Of a core or a cluster the processing units, the master's first; empty for an accelerator.
  [[nodiscard]] std::vector<int> members() const;
};

struct RuntimePlan {
  RuntimeOptions options;
  /// Those that the cores begin with, and those that follow, where cores can be grouped otherwise.
  std::vector<platform::ClusterStage> stages;
  /// What the runtime chooses from where it groups its cores itself; else empty.
  std::vector<platform::ClusterCandidate> candidates;
  platform::Topology topology;
  /// By worker: the cores and clusters of cores, then the GPUs.
  std::vector<WorkerPlace> places;
  /// Of this machine, real or emulated, by memory node from 1 on; those of a described machine are not among them.
  std::vector<std::unique_ptr<platform::Accelerator>> accelerators;
  /// Beside the cores, without memories of their own.
  std::vector<std::unique_ptr<platform::HostDevice>> host_devices;
  scheduler::Policy policy;

  [[nodiscard]] std::vector<DeviceKind> kinds() const;
  /// By worker.
  [[nodiscard]] static std::vector<NamedWorker> names_of(std::span<const WorkerPlace> places);
  /// Memory nodes: the host's and one for each GPU.
  [[nodiscard]] std::size_t nodes() const;
  /// All actors share the thread that waits.
  [[nodiscard]] bool cooperative() const { return options.deterministic || options.simulation; }

  /// `placing`: a policy of the program's own, or null. Fails with `invalid_argument` or `platform`.
  static Result<RuntimePlan> make(const RuntimeOptions& options, std::unique_ptr<scheduler::PlacingPolicy> placing);
};

/// Single cores, by their numbers in `topology`, as a specification of clusters groups them; "": each alone. Fails as
/// `platform::plan_clusters`.
[[nodiscard]] Result<workers::Grouping::Groups> groups_of(const std::string& clusters,
                                                          const platform::Topology& topology);

}  // namespace troupe::actors
