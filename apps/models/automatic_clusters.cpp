#include "apps/models/automatic_clusters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "actors/scheduler/models/history_file.hpp"
#include "actors/scheduler/policy.hpp"
#include "apps/arguments/accelerator_arguments.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/models/learned_machine.hpp"
#include "apps/models/model_report.hpp"
#include "apps/simulate/cluster_search.hpp"
#include "apps/simulate/simulation_bound.hpp"
#include "apps/simulate/simulation_pool.hpp"
#include "graph/codelets/codelet_definition.hpp"

namespace troupe::apps {

namespace {

/// A kernel's time for one tile is also used for tiles whose edge is up to this factor smaller or larger.
constexpr double kNearEdge = 1.5;
/// A search may take `kLeastSearchSeconds`, or `kSearchShare` times the run's time if that is longer.
constexpr double kLeastSearchSeconds = 2;
constexpr double kSearchFraction = 0.05;
/// A matrix with this many tiles on a side runs each kernel of its factorization at least once.
constexpr std::int64_t kTilesToSeeAll = 3;

SimulatedRun run_of(const RuntimeOptions& runtime, const linalg::FactorizationOptions& options, std::int64_t n,
                    std::size_t element_bytes) {
  SimulatedRun run;
  run.application = options.application;
  run.precision = element_bytes == sizeof(float) ? Precision::single_precision : Precision::double_precision;
  run.pivoting = options.pivoting;
  run.n = n;
  run.tile = std::min(options.tile, n);
  run.tile_rows = options.tile_rows > 0 ? options.tile_rows : SimulatedRun::kRowsByWorkers;
  run.inner = options.inner > 0 ? options.inner : linalg::default_inner(run.tile, run.tile);
  run.policy = runtime.policy == "default" ? scheduler::default_policy(false) : runtime.policy;
  run.restrict = runtime.placement.restrict;
  return run;
}

std::vector<NeededKernel> needed_by(const SimulatedRun& run) {
  return run.precision == Precision::single_precision ? needed_kernels<float>(run.application, run.pivoting)
                                                      : needed_kernels<double>(run.application, run.pivoting);
}

bool is_near(double edge, const std::vector<double>& edges) {
  return std::ranges::any_of(edges,
                             [edge](double known) { return known < edge * kNearEdge && edge < known * kNearEdge; });
}

/// Returns the kernels with too few known times, each once: "potrf", "gemm on clusters". Empty if all times are known.
std::vector<std::string> unknown_kernels(const SimulatedRun& run, const std::vector<NeededKernel>& needed) {
  const platform::MachineDescription& machine = run.simulation.machine;
  std::vector<std::string> unknown;
  const auto times_of = [&](const NeededKernel& kernel) -> const platform::KernelTimes* {
    for (const platform::KernelTimes& times : machine.kernels) {
      if (times.kernel() == kernel.kernel) return &times;
    }
    return nullptr;
  };
  for (const NeededKernel& kernel : needed) {
    const platform::KernelTimes* times = times_of(kernel);
    if (times == nullptr) {
      unknown.push_back(kernel.codelet.name());
    } else if (!times->on_clusters() && kernel.codelet.definition().cores_used({DeviceKind::cpu_core, 2}) > 1) {
      unknown.push_back(kernel.codelet.name() + " on clusters");
    }
  }
  if (!unknown.empty()) return unknown;
  // A small graph shows the sizes of the tasks. Its tiles are square, because `troupe model calibrate` measures square
  // tiles.
  SimulatedRun small = run;
  small.n = kTilesToSeeAll * run.tile;
  small.tile_rows = run.tile;
  const auto graph = record_graph(small);
  for (const FactorizationGraph::Kind& kind : graph->kinds) {
    for (const NeededKernel& kernel : needed) {
      const platform::KernelTimes& times = *times_of(kernel);
      if (kind.timed_as != fmt::format("{}/{}/{}", times.application(), times.kernel(), times.precision())) continue;
      // Report each kernel once, though several kinds of task may use it.
      const bool said = std::ranges::find(unknown, kernel.codelet.name()) != unknown.end();
      if (kind.flops > 0 && !said && !is_near(times.edge_with(kind.flops), times.edges()))
        unknown.push_back(kernel.codelet.name());
    }
  }
  return unknown;
}

/// Returns a lower bound on the cores' time: all operations at the best rate of any kernel.
double least_seconds(const SimulatedRun& run) {
  double best = 0;
  for (const platform::KernelTimes& times : run.simulation.machine.kernels) {
    const double edge = times.edges().back();
    best = std::max(best, times.flops_per_cube() * edge * edge * edge / (times.cpu(edge).mean_us * 1e-6));
  }
  return best > 0 ? linalg::flop_count(run.application, run.n, run.n) / (best * run.simulation.machine.cores) : 0;
}

}  // namespace

std::optional<ClusterChoice> find_clusters_by_models(const RuntimeOptions& runtime,
                                                     const linalg::FactorizationOptions& options, std::int64_t n,
                                                     std::size_t element_bytes) {
  const auto give_up = [&](const std::string& why) {
    const bool changing = changing_policy(runtime.policy).has_value();
    runtime.observation.on_warning(
        fmt::format("--clusters auto: {}, as {}", changing ? "cores are grouped while it runs" : "single cores", why));
    return std::optional<ClusterChoice>();
  };
  if (uses_accelerators(runtime)) {
    return give_up("runs with accelerators of this machine are not simulated before");
  }
  const platform::Topology topology = usable_cores(runtime);
  const auto candidates = platform::cluster_candidates(topology.cores, topology.machine);
  if (candidates.size() < 2) {
    runtime.observation.on_warning("--clusters auto: single cores, as there are too few cores to form clusters of");
    return std::nullopt;
  }
  if (runtime.placement.models.empty()) return give_up("no kernel times are kept: name a folder with --models");
  const KeptModels models = read_models(runtime.placement.models, scheduler::machine_key(topology.machine));
  for (const std::string& warning : models.warnings) runtime.observation.on_warning(warning);

  SimulatedRun run = run_of(runtime, options, n, element_bytes);
  const std::vector<NeededKernel> needed = needed_by(run);
  const char* precision = element_bytes == sizeof(float) ? precision_name<float>() : precision_name<double>();
  run.simulation.machine = learned_machine(models.history, static_cast<int>(topology.cores.size()),
                                           to_string(run.application), needed, precision, element_bytes);
  // Set the processor's model, because restrictions of kernels may name it.
  run.simulation.machine.cpu_model = topology.machine.cpu_model;
  run.simulation.cores = run.simulation.machine.cores;
  run.simulation.noise = true;
  if (const auto unknown = unknown_kernels(run, needed); !unknown.empty()) {
    return give_up(
        fmt::format("too little is known of the times of {} in tiles of {}: measure them with `troupe model "
                    "calibrate --tile {} --clusters auto`, or give clusters",
                    fmt::join(unknown, ", "), run.tile, run.tile));
  }
  const int jobs = static_cast<int>(topology.cores.size());
  const double seconds = std::max(kLeastSearchSeconds, kSearchFraction * least_seconds(run));
  ClusterSearchOptions search{.most_seconds = seconds * jobs, .jobs = jobs};
  search.changing_policy = changing_policy(runtime.policy).value_or("");
  return choose_clusters(run, candidates, search);
}

}  // namespace troupe::apps
