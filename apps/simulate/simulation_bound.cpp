#include "apps/simulate/simulation_bound.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "apps/simulate/modelled_codelets.hpp"
#include "apps/simulate/simulation_request.hpp"

namespace troupe::apps {

namespace {

/// The largest graph that is looked at.
constexpr double kMostBoundedTasks = 1e6;

std::vector<ModelledKernel> kernels_of(const SimulatedRun& run) {
  const auto& machine = run.simulation.machine;
  return (run.precision == Precision::single_precision
              ? modelled_kernels<float>(run.application, machine, run.pivoting)
              : modelled_kernels<double>(run.application, machine, run.pivoting))
      .value_or_throw();
}

/// Times of a simulation are whole nanoseconds.
double seconds_of(const platform::KernelTime& time) { return std::floor(time.mean_us * 1e3) * 1e-9; }

/// The resources of a run: its cores together, then each GPU, which may have times of its own.
struct Resources {
  std::vector<int> counts;
  std::vector<bool> on_host;
  /// By kind and resource.
  std::vector<std::vector<double>> times_s;
};

std::vector<double> times_of(const platform::KernelTimes& times, double flops, const SimulatedRun& run, int cores) {
  const double edge = times.edge_with(flops);
  std::vector<double> row;
  if (cores > 0) row.push_back(times.on_cpu() ? seconds_of(times.cpu(edge)) : kCannotRun);
  for (const int gpu : run.simulation.gpus) {
    row.push_back(times.on_gpus() ? seconds_of(times.gpu(static_cast<std::size_t>(gpu), edge)) +
                                        seconds(run.simulation.kernel_overhead)
                                  : kCannotRun);
  }
  return row;
}

Resources resources_of(const FactorizationGraph& graph, const SimulatedRun& run, int cores) {
  const std::vector<ModelledKernel> kernels = kernels_of(run);
  Resources resources;
  if (cores > 0) resources.counts.push_back(cores);
  resources.counts.resize(resources.counts.size() + run.simulation.gpus.size(), 1);
  resources.on_host.resize(resources.counts.size(), false);
  if (cores > 0) resources.on_host.front() = true;
  for (const FactorizationGraph::Kind& kind : graph.kinds) {
    const auto kernel = std::find_if(kernels.begin(), kernels.end(),
                                     [&](const ModelledKernel& other) { return other.codelet == kind.codelet; });
    // Others take no time in a simulation, either.
    resources.times_s.push_back(kernel == kernels.end() ? std::vector<double>(resources.counts.size(), 0.0)
                                                        : times_of(*kernel->times, kind.flops, run, cores));
  }
  return resources;
}

}  // namespace

std::optional<FactorizationGraph> record_graph(const SimulatedRun& run) {
  if (task_count(run.application, (run.n - 1) / run.tile + 1) > kMostBoundedTasks) return std::nullopt;
  SimulatedRun recorded = run;
  recorded.policy = "eager";
  recorded.trace = false;
  recorded.simulation.noise = false;
  recorded.simulation.gpu_memory.reset();
  recorded.simulation.memory_share = 1;
  recorded.recorder = std::make_shared<GraphRecorder>();
  static_cast<void>(simulate(recorded));
  return recorded.recorder->take();
}

double bound_seconds(const FactorizationGraph& graph, const SimulatedRun& run, int cores) {
  Resources resources = resources_of(graph, run, cores);
  return lower_bounds({graph.tasks, graph.kinds.size(), std::move(resources.times_s), std::move(resources.counts)})
      .staged_s;
}

Bytes bound_bytes(const FactorizationGraph& graph, const SimulatedRun& run, int cores, double makespan_s) {
  Resources resources = resources_of(graph, run, cores);
  return bytes_lower_bound({graph.uses, graph.tiles, graph.kinds.size(), std::move(resources.times_s),
                            std::move(resources.counts), std::move(resources.on_host), makespan_s});
}

}  // namespace troupe::apps
