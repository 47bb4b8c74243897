#include "apps/simulation_bound.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "apps/modelled_codelets.hpp"

namespace troupe::apps {

namespace {

std::vector<ModelledKernel> kernels_of(const SimulatedRun& run) {
  const auto& machine = run.simulation.machine;
  return (run.precision == Precision::single_precision ? modelled_kernels<float>(run.application, machine)
                                                       : modelled_kernels<double>(run.application, machine))
      .value_or_throw();
}

/// Times of a simulation are whole nanoseconds.
double seconds_of(const platform::KernelTime& time) { return std::floor(time.mean_us * 1e3) * 1e-9; }

std::uint32_t kind_of(std::vector<FactorizationGraph::Kind>& kinds, const std::string& codelet, double flops) {
  const auto same = [&](const FactorizationGraph::Kind& kind) {
    return kind.codelet == codelet && kind.flops == flops;
  };
  const auto found = std::find_if(kinds.begin(), kinds.end(), same);
  const auto index = static_cast<std::uint32_t>(found - kinds.begin());
  if (found == kinds.end()) kinds.push_back({codelet, flops});
  return index;
}

}  // namespace

std::optional<FactorizationGraph> record_graph(const SimulatedRun& run) {
  SimulatedRun recorded = run;
  recorded.policy = "eager";
  recorded.trace = true;
  recorded.simulation.noise = false;
  recorded.simulation.gpu_memory.reset();
  recorded.simulation.memory_share = 1;
  const Trace trace = simulate(recorded).trace;
  if (trace.dropped > 0) return std::nullopt;
  FactorizationGraph graph;
  // By start, so predecessors come first.
  std::unordered_map<TaskId, std::uint32_t> indices;
  for (const TraceEvent& event : trace.events) {
    indices.emplace(event.task, static_cast<std::uint32_t>(graph.tasks.size()));
    graph.tasks.push_back({kind_of(graph.kinds, trace.codelet_of(event), event.flops), {}});
  }
  for (const TraceDependency& dependency : trace.dependencies) {
    const auto before = indices.find(dependency.before);
    const auto after = indices.find(dependency.after);
    if (before == indices.end() || after == indices.end()) continue;
    graph.tasks[after->second].predecessors.push_back(before->second);
  }
  return graph;
}

double bound_seconds(const FactorizationGraph& graph, const SimulatedRun& run, int cores) {
  const std::vector<ModelledKernel> kernels = kernels_of(run);
  BoundProblem problem;
  problem.tasks = graph.tasks;
  problem.kinds = graph.kinds.size();
  if (cores > 0) problem.counts.push_back(cores);
  for (std::size_t i = 0; i < run.simulation.gpus.size(); ++i) problem.counts.push_back(1);
  for (const FactorizationGraph::Kind& kind : graph.kinds) {
    const auto kernel = std::find_if(kernels.begin(), kernels.end(),
                                     [&](const ModelledKernel& other) { return other.codelet == kind.codelet; });
    // What takes no time in a simulation, either.
    if (kernel == kernels.end()) {
      problem.times_s.emplace_back(problem.counts.size(), 0.0);
      continue;
    }
    const platform::KernelTimes& times = *kernel->times;
    const double edge = times.edge_with(kind.flops);
    std::vector<double>& row = problem.times_s.emplace_back();
    if (cores > 0) row.push_back(times.on_cpu() ? seconds_of(times.cpu(edge)) : kCannotRun);
    for (const int gpu : run.simulation.gpus) {
      row.push_back(times.on_gpus() ? seconds_of(times.gpu(static_cast<std::size_t>(gpu), edge)) +
                                          seconds(run.simulation.kernel_overhead)
                                    : kCannotRun);
    }
  }
  return lower_bounds(problem).staged_s;
}

}  // namespace troupe::apps
