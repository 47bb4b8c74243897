#include "actors/running/runtime_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "actors/running/device_factory.hpp"

namespace troupe::actors {

namespace {

Failure unusable(const std::string& what) { return {ErrorCode::invalid_argument, what}; }

Result<void> check(const SimulationOptions& options) {
  const platform::MachineDescription& machine = options.machine;
  if (options.gpus.size() > machine.gpus.size()) {
    return unusable(
        fmt::format("machine '{}' has {} GPUs, not {}", machine.name, machine.gpus.size(), options.gpus.size()));
  }
  std::set<int> seen;
  for (const int gpu : options.gpus) {
    if (gpu < 0 || static_cast<std::size_t>(gpu) >= machine.gpus.size()) {
      return unusable(fmt::format("machine '{}' has GPUs 0 to {}, but no GPU {}", machine.name,
                                  static_cast<int>(machine.gpus.size()) - 1, gpu));
    }
    if (!seen.insert(gpu).second) return unusable(fmt::format("GPU {} is named twice", gpu));
  }
  if (options.cores < 0 || options.cores > machine.cores) {
    return unusable(fmt::format("machine '{}' has {} cores, not {}", machine.name, machine.cores, options.cores));
  }
  if (options.cores == 0 && static_cast<int>(options.gpus.size()) > machine.cores) {
    return unusable(fmt::format("machine '{}' has too few cores to drive {} GPUs", machine.name, options.gpus.size()));
  }
  if (options.cores == 0 && options.gpus.empty() && machine.cores == 0) return unusable("a machine without devices");
  if (!(options.memory_share > 0 && options.memory_share <= 1)) {
    return unusable(fmt::format("the share of GPU memory must be above 0 and at most 1, not {}", options.memory_share));
  }
  if (!(options.kernel_error >= 1) || !(options.bandwidth_error >= 1)) {
    return unusable("the factors of model errors must be at least 1");
  }
  if (options.kernel_overhead < Duration{} || options.copy_overhead < Duration{}) {
    return unusable("overheads must not be negative");
  }
  return platform::check(options.faults);
}

/// The cores that drive the GPUs: for each, the last of the nearest that drives none yet.
std::set<int> driving_cores(const SimulationOptions& options) {
  std::set<int> taken;
  for (const int gpu : options.gpus) {
    std::vector<int> candidates = options.machine.gpus[static_cast<std::size_t>(gpu)].near_cores;
    std::reverse(candidates.begin(), candidates.end());
    for (int core = options.machine.cores - 1; core >= 0; --core) candidates.push_back(core);
    const auto free =
        std::find_if(candidates.begin(), candidates.end(), [&](int core) { return !taken.contains(core); });
    if (free != candidates.end()) taken.insert(*free);
  }
  return taken;
}

/// The described machine in hwloc's notation, and its cores that run tasks.
Result<platform::Topology> topology_of(const SimulationOptions& options) {
  const platform::MachineDescription& machine = options.machine;
  platform::TopologyOptions topology;
  const int sockets = machine.sockets > 0 && machine.cores % machine.sockets == 0 ? machine.sockets : 1;
  topology.synthetic = fmt::format("package:{} numanode:1 core:{} pu:1", sockets, machine.cores / sockets);
  topology.cores = options.cores;
  if (options.cores == 0) {
    const std::set<int> taken = driving_cores(options);
    for (int core = 0; core < machine.cores; ++core) {
      if (taken.contains(core)) continue;
      topology.restrict_to += (topology.restrict_to.empty() ? "" : ",") + std::to_string(core);
    }
    topology.cores = machine.cores - static_cast<int>(taken.size());
    // All of them drive GPUs: inspected all the same, and then left out.
    if (topology.cores == 0) topology.restrict_to.clear();
  }
  auto found = platform::Topology::discover(topology);
  if (found && options.cores == 0 && topology.cores == 0) found.value().cores.clear();
  return found;
}

platform::TopologyOptions topology_options(const RuntimeOptions& options) {
  platform::TopologyOptions topology;
  topology.cores = options.cores;
  topology.use_hyperthreads = options.use_hyperthreads;
  topology.oversubscribe = options.oversubscribe || options.deterministic;
  topology.restrict_to = options.restrict_to;
  topology.synthetic = options.synthetic_topology;
  topology.system_root = options.system_root;
  return topology;
}

Result<platform::Topology> topology_of(const RuntimeOptions& options) {
  if (options.simulation) return topology_of(*options.simulation);
  return platform::Topology::discover(topology_options(options));
}

/// The processing units of the accelerators of this machine: of the cores that may be used those that run no tasks, the
/// last first. Where the number of cores is not given, each accelerator takes one away from them, but for the last.
/// With fewer cores than devices, some accelerators share: -1.
std::vector<int> take_cores(const RuntimeOptions& options, std::size_t accelerators, platform::Topology& topology) {
  std::vector<int> taken;
  if (options.cores == 0) {
    while (taken.size() < accelerators && topology.cores.size() > 1) {
      taken.push_back(topology.cores.back().pu);
      topology.cores.pop_back();
    }
  } else {
    platform::TopologyOptions everything = topology_options(options);
    everything.cores = 0;
    everything.oversubscribe = false;
    const auto all = platform::Topology::discover(everything);
    const auto runs_tasks = [&](int pu) {
      return std::ranges::any_of(topology.cores, [pu](const platform::Core& core) { return core.pu == pu; });
    };
    for (std::size_t i = all ? all.value().cores.size() : 0; i-- > 0 && taken.size() < accelerators;) {
      if (!runs_tasks(all.value().cores[i].pu)) taken.push_back(all.value().cores[i].pu);
    }
  }
  taken.resize(accelerators, -1);
  return taken;
}

/// A device beside the cores.
struct OpenedDevice {
  DeviceKind kind = DeviceKind::cpu_core;
  std::unique_ptr<platform::Accelerator> memory;
};

std::vector<WorkerPlace> places_of(const RuntimeOptions& options, platform::Topology& topology,
                                   const std::vector<OpenedDevice>& opened) {
  std::vector<WorkerPlace> places;
  const auto add = [&](DeviceKind kind, std::size_t number, NodeId node, std::string name, int pu) {
    WorkerPlace& place = places.emplace_back();
    place.device.type.kind = kind;
    place.device.gpu = number;
    place.node = node;
    place.name = std::move(name);
    place.pu = pu;
  };
  const std::vector<int> taken = take_cores(options, opened.size(), topology);
  for (const platform::Core& core : topology.cores) {
    add(DeviceKind::cpu_core, 0, NodeId(0), "cpu core " + std::to_string(core.pu), core.pu);
  }
  std::uint32_t node = 0;
  for (std::size_t i = 0; i < opened.size(); ++i) {
    add(opened[i].kind, i, NodeId(++node), opened[i].memory->name(), taken[i]);
  }
  if (!options.simulation) return places;
  for (const int gpu : options.simulation->gpus) {
    add(DeviceKind::cuda, static_cast<std::size_t>(gpu), NodeId(++node), "GPU " + std::to_string(gpu), -1);
  }
  return places;
}

Result<void> check_devices(const RuntimeOptions& options) {
  bool any = false;
  for (const DeviceFactory& factory : device_factories()) {
    const int count = factory.asked_for == nullptr ? 0 : factory.asked_for(options);
    if (count < 0) return unusable(fmt::format("{} {}s were asked for", count, to_string(factory.kind)));
    any = any || count > 0;
  }
  if (!any) return {};
  if (options.simulation) {
    return unusable(
        "a run in virtual time has the GPUs of the described machine: RuntimeOptions::gpus and emulated_gpus "
        "are for this machine");
  }
  if (options.deterministic) {
    return unusable(
        "a deterministic run has one thread, but accelerators copy by threads of their own: use a run in "
        "virtual time with real buffers instead");
  }
  return {};
}

Result<std::vector<OpenedDevice>> open_devices(const RuntimeOptions& options) {
  std::vector<OpenedDevice> opened;
  for (const DeviceFactory& factory : device_factories()) {
    if (factory.asked_for == nullptr || factory.asked_for(options) == 0) continue;
    auto memories = factory.open(options);
    if (!memories) return memories.failure();
    for (auto& memory : memories.value()) opened.push_back({factory.kind, std::move(memory)});
  }
  return opened;
}

/// GPUs ask one another first, then the cores; cores ask GPUs last.
scheduler::Nearness nearness_of(const platform::Topology& topology, std::size_t workers) {
  scheduler::Nearness nearness;
  const std::size_t cores = topology.cores.size();
  std::vector<int> all_cores;
  for (std::size_t i = 0; i < cores; ++i) all_cores.push_back(static_cast<int>(i));
  std::vector<int> all_gpus;
  for (std::size_t i = cores; i < workers; ++i) all_gpus.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < cores; ++i) {
    nearness.push_back(topology.victim_order(static_cast<int>(i)));
    if (!all_gpus.empty()) nearness.back().push_back(all_gpus);
  }
  for (const int gpu : all_gpus) {
    std::vector<int> others = all_gpus;
    std::erase(others, gpu);
    nearness.push_back({std::move(others), all_cores});
  }
  return nearness;
}

}  // namespace

std::vector<DeviceKind> RuntimePlan::kinds() const {
  std::vector<DeviceKind> kinds;
  for (const WorkerPlace& place : places) kinds.push_back(place.device.type.kind);
  return kinds;
}

std::size_t RuntimePlan::nodes() const {
  std::size_t nodes = 1;
  for (const WorkerPlace& place : places) nodes = std::max(nodes, place.node.index() + 1);
  return nodes;
}

Result<RuntimePlan> RuntimePlan::make(const RuntimeOptions& options,
                                      std::unique_ptr<scheduler::PlacingPolicy> placing) {
  if (options.window == 0) return unusable("the submission window must hold at least one task");
  if (options.simulation) {
    if (auto usable = check(*options.simulation); !usable) return usable.failure();
  }
  if (auto usable = check_devices(options); !usable) return usable.failure();
  auto topology = topology_of(options);
  if (!topology) return topology.failure();
  auto opened = open_devices(options);
  if (!opened) return opened.failure();
  RuntimePlan plan{options, std::move(topology).value(), {}, {}, {}};
  plan.places = places_of(options, plan.topology, opened.value());
  for (OpenedDevice& device : opened.value()) plan.accelerators.push_back(std::move(device.memory));
  if (plan.places.empty()) return unusable("a runtime needs at least one worker");
  const std::size_t workers = plan.places.size();
  if (!placing && options.make_policy) {
    placing = options.make_policy();
    if (!placing) return unusable("RuntimeOptions::make_policy made no policy");
  }
  if (placing) {
    plan.policy.name = "custom";
    plan.policy.stealing.victims.resize(workers);
    plan.policy.placing = std::move(placing);
    return plan;
  }
  const bool accelerators = std::ranges::any_of(plan.kinds(), is_accelerator);
  auto policy = scheduler::make_policy(options.policy, nearness_of(plan.topology, workers), accelerators);
  if (!policy) return policy.failure();
  plan.policy = std::move(policy).value();
  return plan;
}

}  // namespace troupe::actors
