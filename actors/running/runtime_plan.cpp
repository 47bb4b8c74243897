#include "actors/running/runtime_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "actors/options/option_table.hpp"
#include "actors/running/device_factory.hpp"
#include "actors/simulating/simulated_cores.hpp"
#include "platform/machine/cluster_plan.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

namespace {

Failure unusable(const std::string& what) { return {ErrorCode::invalid_argument, what}; }

platform::TopologyOptions topology_options(const RuntimeOptions& options) {
  platform::TopologyOptions topology;
  topology.cores = options.cores;
  topology.use_hyperthreads = options.threads.hyperthreads;
  topology.oversubscribe = options.threads.oversubscribe || options.threads.deterministic;
  topology.restrict_to = options.threads.cpus;
  topology.synthetic = options.threads.synthetic_topology;
  topology.system_root = options.threads.system_root;
  return topology;
}

Result<platform::Topology> topology_of(const RuntimeOptions& options, bool clusters) {
  if (options.simulation) return simulated_topology(*options.simulation, clusters);
  return platform::Topology::discover(topology_options(options));
}

/// Returns a processing unit for the thread that drives each of this machine's accelerators. These are units of cores
/// that may be used but run no tasks; the last core is taken first. If the number of cores is not given, each
/// accelerator takes a core away from the tasks, but the tasks keep at least one core. If there are too few cores, the
/// remaining accelerators get -1, and their threads share cores.
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

/// Returns the places of all workers. `driving_pus` holds, for each opened device, the unit whose thread drives it.
std::vector<WorkerPlace> places_of(const RuntimeOptions& options, const platform::Topology& topology,
                                   const std::vector<OpenedDevice>& opened, const std::vector<int>& driving_pus) {
  std::vector<WorkerPlace> places;
  const auto add = [&](DeviceKind kind, std::size_t number, NodeId node, std::string name, std::string model, int pu) {
    WorkerPlace& place = places.emplace_back();
    place.device.type.kind = kind;
    place.device.gpu = number;
    place.node = node;
    place.name = std::move(name);
    place.model = std::move(model);
    place.pu = pu;
  };
  const std::string& cpu_model =
      options.simulation ? options.simulation->machine.cpu_model : topology.machine.cpu_model;
  for (const platform::Core& core : topology.cores) {
    add(DeviceKind::cpu_core, 0, NodeId(0), platform::worker_name(core), cpu_model, core.pu);
    places.back().device.type.cores = core.size();
    places.back().helper_pus = core.helper_pus;
  }
  std::uint32_t node = 0;
  for (std::size_t i = 0; i < opened.size(); ++i) {
    const OpenedDevice& device = opened[i];
    add(device.kind, i, has_own_memory(device.kind) ? NodeId(++node) : NodeId(0), device.name(), device.model(),
        driving_pus[i]);
    places.back().in_place = device.in_place.get();
    places.back().slots = device.slots;
    if (traits(device.kind).by_model) places.back().device.type.model = device.model();
  }
  if (!options.simulation) return places;
  for (const int gpu : options.simulation->gpus) {
    const auto number = static_cast<std::size_t>(gpu);
    add(DeviceKind::cuda, number, NodeId(++node), "GPU " + std::to_string(gpu),
        options.simulation->machine.gpus[number].model, -1);
  }
  return places;
}

Result<void> check_restrictions(const std::string& text, std::span<const WorkerPlace> places) {
  const auto restrictions = parse_restrictions(text);
  if (!restrictions) return restrictions.failure();
  const std::vector<NamedWorker> workers = RuntimePlan::names_of(places);
  for (const auto& [codelet, devices] : restrictions.value()) {
    const auto members = find_members(devices, workers);
    if (!members) {
      return unusable(
          fmt::format("'{}' is restricted to {}: {}", codelet, to_string(devices), members.failure().message));
    }
    if (std::ranges::find(members.value(), true) != members.value().end()) continue;
    return unusable(
        fmt::format("'{}' is restricted to {}, and the runtime has none: leave the restriction out, or add "
                    "such a device",
                    codelet, to_string(devices)));
  }
  return {};
}

Result<void> check_devices(const RuntimeOptions& options) {
  bool any = false;
  for (const DeviceFactory& factory : device_factories()) {
    any = any || (factory.asked_for != nullptr && factory.asked_for(options) > 0);
  }
  if (!any) return {};
  if (options.simulation) {
    std::vector<std::string_view> fields;
    for (const RuntimeOption& option : runtime_options()) {
      if (option.chooses_devices) fields.push_back(option.field);
    }
    return unusable(
        fmt::format("a run in virtual time has the GPUs of the described machine, and RuntimeOptions::{} are for this "
                    "machine: leave them out",
                    fmt::join(fields, ", ")));
  }
  if (options.threads.deterministic) {
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
    auto devices = factory.open(options);
    if (!devices) return devices.failure();
    for (OpenedDevice& device : devices.value()) opened.push_back(std::move(device));
  }
  return opened;
}

/// Returns the order in which workers steal from one another: GPUs try other GPUs first, then cores; cores try GPUs
/// last.
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

std::vector<int> WorkerPlace::members() const {
  if (is_accelerator(device.type.kind)) return {};
  std::vector<int> all{pu};
  all.insert(all.end(), helper_pus.begin(), helper_pus.end());
  return all;
}

std::vector<DeviceKind> RuntimePlan::kinds() const {
  std::vector<DeviceKind> kinds;
  for (const WorkerPlace& place : places) kinds.push_back(place.device.type.kind);
  return kinds;
}

std::vector<NamedWorker> RuntimePlan::names_of(std::span<const WorkerPlace> places) {
  std::vector<NamedWorker> names;
  for (const WorkerPlace& place : places) names.push_back({place.device.type.kind, place.name, place.model});
  return names;
}

std::size_t RuntimePlan::nodes() const {
  std::size_t nodes = 1;
  for (const WorkerPlace& place : places) nodes = std::max(nodes, place.node.index() + 1);
  return nodes;
}

Result<RuntimePlan> RuntimePlan::make(const RuntimeOptions& options,
                                      std::unique_ptr<scheduler::PlacingPolicy> placing) {
  if (auto usable = check_options(options); !usable) return usable.failure();
  if (options.simulation) {
    if (auto usable = check(*options.simulation); !usable) return usable.failure();
  }
  // Clusters are checked before devices are opened, because opening devices takes long.
  const std::string& clusters = options.simulation ? options.simulation->clusters : options.clusters;
  bool chooses = clusters == platform::kAutomaticClusters;
  if (chooses && options.threads.deterministic && !options.simulation) {
    return unusable("clusters 'auto' follow from kernel times, and a deterministic run learns none: name clusters");
  }
  auto stages = platform::parse_cluster_stages(chooses ? "single" : clusters);
  if (!stages) return stages.failure();
  bool regroups = options.threads.regroup || chooses || stages.value().size() > 1;
  if (auto usable = check_devices(options); !usable) return usable.failure();
  auto topology = topology_of(options, !regroups);
  if (!topology) return topology.failure();
  auto opened = open_devices(options);
  if (!opened) return opened.failure();
  RuntimePlan plan{options, std::move(stages).value(), {}, std::move(topology).value(), {}, {}, {}, {}};
  const std::vector<int> driving_pus = take_cores(options, opened.value().size(), plan.topology);
  if (chooses) {
    // In a described machine, a cluster's kernel times do not depend on where its cores are.
    plan.candidates =
        platform::cluster_candidates(plan.topology.cores, plan.topology.machine,
                                     options.simulation ? platform::Spanning::allowed : platform::Spanning::avoided);
    // With a single candidate there is nothing to choose.
    chooses = plan.candidates.size() > 1;
    regroups = options.threads.regroup || chooses;
  }
  plan.options.threads.regroup = regroups;
  if (regroups) {
    for (const platform::ClusterStage& stage : plan.stages) {
      if (auto groups = groups_of(stage.clusters, plan.topology); !groups) return groups.failure();
    }
  } else if (!options.simulation && clusters != platform::kAutomaticClusters) {
    if (auto formed = plan.topology.form_clusters(options.clusters); !formed) return formed.failure();
  }
  plan.places = places_of(options, plan.topology, opened.value(), driving_pus);
  for (OpenedDevice& device : opened.value()) {
    if (device.memory) plan.accelerators.push_back(std::move(device.memory));
    if (device.in_place) plan.host_devices.push_back(std::move(device.in_place));
  }
  if (plan.places.empty()) return unusable("a runtime needs at least one worker");
  if (auto usable = check_restrictions(options.placement.restrict, plan.places); !usable) return usable.failure();
  const std::size_t workers = plan.places.size();
  if (!placing && options.placement.make_policy) {
    const char* who = "RuntimeOptions::placement.make_policy";
    try {
      placing = options.placement.make_policy();
      who = "the program's own policy (RuntimeOptions::placement.make_policy)";
      // The policy's traits are asked for once here, so that an exception is reported. Later they are asked for again
      // where an exception must not occur.
      if (placing) (void)placing->policy_traits();
    } catch (const std::exception& error) {
      return unusable(fmt::format("{} threw: {}", who, error.what()));
    } catch (...) {
      return unusable(fmt::format("{} threw what is no std::exception", who));
    }
    if (!placing) return unusable("RuntimeOptions::placement.make_policy made no policy");
  }
  if (placing) {
    plan.policy.name = kOwnPolicy;
    plan.policy.stealing.victims.resize(workers);
    plan.policy.placing = std::move(placing);
    return plan;
  }
  // With cores alone and fixed clusters, the default policy is local, and learns no kernel times.
  const bool places = chooses || std::ranges::any_of(plan.kinds(), is_accelerator);
  auto policy = scheduler::make_policy(options.policy, nearness_of(plan.topology, workers), places);
  if (!policy) return policy.failure();
  plan.policy = std::move(policy).value();
  if (chooses && !plan.policy.placing) {
    return unusable(
        fmt::format("clusters 'auto' follow from kernel times, and policy '{}' learns none: use heft, "
                    "homeward or another that places tasks, or name clusters",
                    plan.policy.name));
  }
  return plan;
}

}  // namespace troupe::actors
