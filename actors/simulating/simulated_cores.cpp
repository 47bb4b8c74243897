#include "actors/simulating/simulated_cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "platform/accelerators/fault_plan.hpp"
#include "proto/human_count.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

namespace {

Failure unusable_machine(const std::string& what) { return {ErrorCode::invalid_argument, what}; }

/// Returns the cores that drive the GPUs. Each GPU gets the last of its near cores that drives no other GPU or, if
/// there is none, the last of all cores that drives no other GPU.
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

}  // namespace

Result<void> check(const SimulationOptions& options) {
  const platform::MachineDescription& machine = options.machine;
  if (options.gpus.size() > machine.gpus.size()) {
    return unusable_machine(fmt::format("machine '{}' has {}, not {}", machine.name,
                                        counted(machine.gpus.size(), "GPU"), options.gpus.size()));
  }
  std::set<int> seen;
  for (const int gpu : options.gpus) {
    if (gpu < 0 || static_cast<std::size_t>(gpu) >= machine.gpus.size()) {
      return unusable_machine(fmt::format("machine '{}' has GPUs 0 to {}, but no GPU {}", machine.name,
                                          static_cast<int>(machine.gpus.size()) - 1, gpu));
    }
    if (!seen.insert(gpu).second) return unusable_machine(fmt::format("GPU {} is named twice", gpu));
  }
  if (options.cores > machine.cores) {
    return unusable_machine(fmt::format("machine '{}' has {}, not {}", machine.name,
                                        counted(static_cast<std::uint64_t>(machine.cores), "core"), options.cores));
  }
  if (options.cores == 0 && static_cast<int>(options.gpus.size()) > machine.cores) {
    return unusable_machine(
        fmt::format("machine '{}' has too few cores to drive {} GPUs", machine.name, options.gpus.size()));
  }
  if (options.cores == 0 && options.gpus.empty() && machine.cores == 0)
    return unusable_machine("a machine without devices");
  const SimulatedAccelerators& gpus = options.accelerators;
  for (const Duration time : {gpus.kernel_overhead, gpus.launch.value_or(Duration{}), gpus.notice.value_or(Duration{}),
                              options.copies.overhead}) {
    if (time < Duration{}) {
      return unusable_machine(
          "a negative time: accelerators.kernel_overhead, accelerators.launch, accelerators.notice and "
          "copies.overhead are at least 0");
    }
  }
  return platform::check(options.disturbances.faults);
}

Result<platform::Topology> simulated_topology(const SimulationOptions& options, bool clusters) {
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
    // If all cores drive GPUs, the topology is made with all cores, and afterwards all cores are removed from it.
    if (topology.cores == 0) topology.restrict_to.clear();
  }
  auto found = platform::Topology::discover(topology);
  if (!found) return found;
  if (options.cores == 0 && topology.cores == 0) found.value().cores.clear();
  if (!clusters) return found;
  if (auto formed = found.value().form_clusters(options.clusters); !formed) return formed.failure();
  return found;
}

}  // namespace troupe::actors
