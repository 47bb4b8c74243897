#include "apps/simulate/simulation_bound.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "actors/simulating/kernel_duration.hpp"
#include "actors/simulating/simulated_cores.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/simulate/simulation_request.hpp"
#include "platform/machine/cluster_stages.hpp"
#include "troupe/devices.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

namespace {

using actors::described_time;
using actors::DescribedDevice;
using actors::kernel_duration;

/// The size of the largest graph for which bounds are computed, in tasks.
constexpr double kMostBoundedTasks = 1e6;

/// The workers of a run: its cores, by the size of their clusters, and its GPUs, each of which may have times of its
/// own. This class knows the times of all kinds for each type of worker.
class Workers {
 public:
  Workers(const FactorizationGraph& graph, const SimulationOptions& options, const CoreWorkers& cores)
      : options_(options) {
    std::map<int, int> count_of_size;
    for (const int size : cores) ++count_of_size[size];
    for (const auto& [size, count] : count_of_size) {
      add(graph, {{DeviceKind::cpu_core, size}}, {{}, count, size});
    }
    for (const int gpu : options.gpus) {
      add(graph, {DeviceKind::cuda, static_cast<std::size_t>(gpu)}, {{}, 1, 0, false});
    }
  }

  [[nodiscard]] const BoundMachine& machine() const { return machine_; }

  /// Returns the task's length. This is the largest factor for which the task's time in the run is at least the factor
  /// times its kind's time, on every worker.
  [[nodiscard]] double length(std::uint32_t kind, TaskId task) const {
    double least = kCannotRun;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      const double expected = machine_.types[i].times[kind];
      if (expected == kCannotRun || expected <= 0) continue;
      const Duration drawn = kernel_duration(options_, times_[i][kind], devices_[i].type.kind, task);
      least = std::min(least, seconds(drawn) / expected);
    }
    return least == kCannotRun ? 1 : least;
  }

 private:
  void add(const FactorizationGraph& graph, DescribedDevice device, WorkerType type) {
    auto& times = times_.emplace_back();
    SimulationOptions means;
    means.accelerators.kernel_overhead = options_.accelerators.kernel_overhead;
    for (const FactorizationGraph::Kind& kind : graph.kinds) {
      const auto time = time_of(kind, device);
      times.push_back(time.value_or(platform::KernelTime{}));
      type.times.push_back(time ? seconds(kernel_duration(means, *time, device.type.kind, {})) : kCannotRun);
    }
    devices_.push_back(std::move(device));
    machine_.types.push_back(std::move(type));
  }

  /// Returns the time of the kind on a device; nothing if the kind does not run on the device.
  [[nodiscard]] std::optional<platform::KernelTime> time_of(const FactorizationGraph::Kind& kind,
                                                            const DescribedDevice& device) const {
    if (!(is_accelerator(device.type.kind) ? kind.on_gpus : kind.on_cores)) return std::nullopt;
    if (kind.timed_as.empty()) return platform::KernelTime{};
    DescribedDevice used = device;
    used.type.cores = std::min(device.type.cores, kind.most_cores);
    const auto time = described_time(options_.machine, kind.timed_as, kind.flops, used);
    return time ? std::optional(time.value()) : std::nullopt;
  }

  const SimulationOptions& options_;
  BoundMachine machine_;
  /// One device of each type of worker, in the order of the types.
  std::vector<DescribedDevice> devices_;
  std::vector<std::vector<platform::KernelTime>> times_;
};

/// Returns the length of each task in the run.
std::vector<double> lengths_of(const FactorizationGraph& graph, const Workers& workers) {
  std::vector<double> lengths;
  for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
    lengths.push_back(workers.length(graph.tasks[i].kind, graph.ids[i]));
  }
  return lengths;
}

}  // namespace

CoreWorkers core_workers_of(const RunReport& report) {
  CoreWorkers cores;
  for (const WorkerReport& worker : report.workers) {
    if (!is_accelerator(worker.kind)) cores.push_back(worker.cores);
  }
  return cores;
}

CoreWorkers core_workers_of_stages(SimulationOptions options) {
  std::vector<std::string> stages;
  if (options.clusters == kAutomaticClusters) {
    const platform::Topology topology = actors::simulated_topology(options, false).value_or_throw();
    for (const platform::ClusterCandidate& candidate :
         platform::cluster_candidates(topology.cores, topology.machine, platform::Spanning::allowed)) {
      stages.push_back(candidate.specification);
    }
  } else {
    for (const platform::ClusterStage& stage : platform::parse_cluster_stages(options.clusters).value_or_throw()) {
      stages.push_back(stage.clusters);
    }
  }
  std::map<int, int> most;
  for (const std::string& stage : stages) {
    options.clusters = stage;
    std::map<int, int> counts;
    for (const platform::Core& core : actors::simulated_topology(options).value_or_throw().cores) ++counts[core.size()];
    for (const auto& [size, count] : counts) most[size] = std::max(most[size], count);
  }
  CoreWorkers cores;
  for (const auto& [size, count] : most) cores.insert(cores.end(), static_cast<std::size_t>(count), size);
  return cores;
}

std::optional<FactorizationGraph> record_graph(const SimulatedRun& run) {
  const double tasks = run.sparse ? run.sparse->tasks : task_count(run.application, (run.n - 1) / run.tile + 1);
  if (tasks > kMostBoundedTasks) return std::nullopt;
  SimulatedRun recorded = run;
  recorded.policy = "eager";
  if (recorded.simulation.clusters == kAutomaticClusters) recorded.simulation.clusters.clear();
  recorded.trace = false;
  recorded.simulation.noise = false;
  recorded.simulation.accelerators.gpu_memory.reset();
  recorded.simulation.accelerators.memory_fraction = 1;
  recorded.recorder = std::make_shared<GraphRecorder>();
  static_cast<void>(simulate(recorded));
  return recorded.recorder->take();
}

LowerBounds bounds_of(const FactorizationGraph& graph, const SimulationOptions& options, const CoreWorkers& cores) {
  const Workers workers(graph, options, cores);
  BoundProblem problem{graph.tasks, graph.kinds.size(), workers.machine()};
  if (options.noise) {
    const std::vector<double> lengths = lengths_of(graph, workers);
    for (std::size_t i = 0; i < lengths.size(); ++i) problem.tasks[i].length = lengths[i];
  }
  return lower_bounds(problem);
}

double bound_seconds(const FactorizationGraph& graph, const SimulationOptions& options, const CoreWorkers& cores) {
  return bounds_of(graph, options, cores).staged_s;
}

Bytes bound_bytes(const FactorizationGraph& graph, const SimulationOptions& options, const CoreWorkers& cores,
                  double makespan_s) {
  const Workers workers(graph, options, cores);
  BytesProblem problem{graph.uses, graph.tiles, graph.kinds.size(), workers.machine(), makespan_s};
  if (options.noise) {
    // This bound counts tasks, so each task must count as the shortest task of its kind.
    std::vector<double> least(graph.kinds.size(), kCannotRun);
    const std::vector<double> lengths = lengths_of(graph, workers);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      least[graph.tasks[i].kind] = std::min(least[graph.tasks[i].kind], lengths[i]);
    }
    for (WorkerType& type : problem.machine.types) {
      for (std::size_t kind = 0; kind < least.size(); ++kind) {
        if (type.times[kind] != kCannotRun) type.times[kind] *= least[kind];
      }
    }
  }
  return bytes_lower_bound(problem);
}

}  // namespace troupe::apps
