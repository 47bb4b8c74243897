#include "lab/experiments/clusters/clusters_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "actors/simulating/simulated_cores.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/simulate/simulation_pool.hpp"
#include "apps/simulate/simulation_request.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::apps {

namespace {

/// The largest number of tasks for which bounds are computed.
constexpr double kMostTasks = 1e6;

using ClustersKey = std::tuple<ClustersProblem, std::string, std::string>;

/// Returns the orders that differ after rounding to whole tiles. If several orders give the same n, returns the first
/// of them.
std::vector<std::int64_t> distinct_orders(const std::vector<std::int64_t>& orders, std::int64_t tile) {
  std::set<std::int64_t> seen;
  std::vector<std::int64_t> distinct;
  for (const std::int64_t order : orders) {
    if (seen.insert(ClustersProblem{.tile = tile, .order = order}.n()).second) distinct.push_back(order);
  }
  return distinct;
}

/// Returns all points, ordered by problem and then by configuration, so that runs with the same bound are neighbours.
std::vector<ClustersKey> all_cluster_points(const ClustersOptions& options) {
  std::vector<ClustersKey> keys;
  for (const std::int64_t tile : options.tiles) {
    for (const int gpus : options.gpus) {
      for (const std::int64_t order : distinct_orders(options.orders, tile)) {
        for (const std::string& configuration : options.configurations) {
          for (const std::string& policy : options.policies()) {
            keys.push_back({{tile, gpus, order}, configuration, policy});
          }
        }
      }
    }
  }
  return keys;
}

SimulatedRun clusters_run(const platform::MachineDescription& machine, const ClustersProblem& problem,
                          const std::string& configuration) {
  const CoreConfiguration cores = core_configuration(configuration);
  SimulatedRun run;
  run.n = problem.n();
  run.tile = problem.tile;
  run.restrict = cores.restrict;
  run.simulation.machine = machine;
  run.simulation.cores = kClustersCores;
  run.simulation.clusters = cores.clusters;
  run.simulation.gpus.resize(static_cast<std::size_t>(problem.gpus));
  std::iota(run.simulation.gpus.begin(), run.simulation.gpus.end(), 0);
  return run;
}

platform::MachineDescription clusters_machine(const ClustersAssumptions& assumptions) {
  return machine_with_deviation(kClustersMachine, assumptions.deviation, assumptions.links).value_or_throw();
}

ClustersResults::Bounds measure_bounds(const ClustersOptions& options, const ClustersAssumptions& assumptions,
                                       const platform::MachineDescription& machine, ClustersBounds& bounds,
                                       ProgressOptions progress) {
  std::set<std::pair<ClustersProblem, std::string>> places;
  for (const auto& [problem, configuration, policy] : all_cluster_points(options))
    places.insert({problem, configuration});
  std::atomic<std::size_t> done{0};
  progress.label += ", bounds";
  progress.unit = "bounds";
  const ProgressBar bar([&] { return Progress{done, places.size()}; }, std::move(progress));
  ClustersResults::Bounds all;
  for (const auto& place : places) {
    SimulatedRun run = clusters_run(machine, place.first, place.second);
    run.simulation.seed = options.seed;
    all.emplace(place, bounds.of(run, assumptions.deviation, options.repeat));
    ++done;
  }
  return all;
}

ClustersResults::Distributions measure_distributions(const ClustersOptions& options,
                                                     const platform::MachineDescription& machine) {
  ClustersResults::Distributions distributions;
  for (const auto& [cores, clusters] :
       {std::pair{10, "10x1"}, std::pair{10, "1x10"}, std::pair{20, "20x1"}, std::pair{20, "2x10"}}) {
    for (const std::string& policy : options.policies()) {
      distributions[{clusters, policy}] = distribute_products(machine, cores, clusters, policy);
    }
  }
  return distributions;
}

}  // namespace

CoreConfiguration core_configuration(const std::string& text) {
  const bool restricted =
      text.size() > 1 && text.back() == 'c' && std::isdigit(static_cast<unsigned char>(text[text.size() - 2])) != 0;
  return {text, restricted ? text.substr(0, text.size() - 1) : text, restricted ? "potrf,trsm:cores" : ""};
}

std::string ClustersAssumptions::name() const {
  return fmt::format("{:g} %, {}", 100 * deviation, links == GpuLinks::one_each ? "a link per GPU" : "one link");
}

std::vector<std::string> ClustersOptions::policies() const {
  std::vector<std::string> all = rivals;
  all.push_back(policy);
  return all;
}

std::int64_t ClustersProblem::n() const { return std::max<std::int64_t>(1, (order + tile / 2) / tile) * tile; }

std::string ClustersProblem::name() const { return fmt::format("{}/{} {}", n(), tile, gpus); }

double ClustersProblem::gflops(double seconds) const {
  return linalg::flop_count(linalg::Application::cholesky, n(), n()) / seconds / 1e9;
}

MedianInterval ClustersPoint::gflops(const ClustersProblem& problem) const {
  std::vector<double> speeds;
  for (const double run_s : seconds) speeds.push_back(problem.gflops(run_s));
  return median_interval(std::move(speeds));
}

double ClustersPoint::spread() const {
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return (*most - *least) / median_interval(seconds).median;
}

ClustersBound ClustersBounds::of(const SimulatedRun& run, double deviation, int repeat) {
  const auto graph_key = std::make_tuple(run.n, run.tile, run.restrict);
  auto graph = graphs_.find(graph_key);
  if (graph == graphs_.end()) graph = graphs_.emplace(graph_key, record_graph(run).value()).first;
  const auto known = [&](double of_deviation, std::uint64_t seed) {
    const auto [bounds, added] = bounds_.try_emplace(
        {run.n, run.tile, run.restrict, run.simulation.gpus.size(), run.simulation.clusters, of_deviation, seed});
    if (added) {
      SimulationOptions options = run.simulation;
      options.noise = of_deviation > 0;
      options.seed = seed;
      CoreWorkers cores;
      for (const platform::Core& core : actors::simulated_topology(options).value_or_throw().cores) {
        cores.push_back(core.size());
      }
      bounds->second = bounds_of(graph->second, options, cores);
    }
    return bounds->second;
  };
  const LowerBounds of_means = known(0, 0);
  ClustersBound bound{of_means.iterated_s, of_means.staged_s, {}};
  for (int i = 0; i < repeat && deviation > 0; ++i) {
    bound.run_s.push_back(known(deviation, run.simulation.seed + static_cast<std::uint64_t>(i)).staged_s);
  }
  return bound;
}

ClustersResults ClustersResults::measure(const ClustersOptions& options, const ClustersAssumptions& assumptions,
                                         ClustersBounds& bounds, const ProgressOptions& progress) {
  const platform::MachineDescription machine = clusters_machine(assumptions);
  const std::vector<ClustersKey> keys = all_cluster_points(options);
  const auto repeat = static_cast<std::size_t>(options.repeat);
  const auto make = [&](std::size_t i) {
    const auto& [problem, configuration, policy] = keys[i / repeat];
    SimulatedRun run = clusters_run(machine, problem, configuration);
    run.policy = policy;
    run.simulation.noise = assumptions.deviation > 0;
    run.simulation.seed = options.seed + i % repeat;
    return run;
  };
  const std::vector<FactorizationOutcome> outcomes = simulate_all({keys.size() * repeat, make}, options.jobs, progress);
  Points points;
  auto outcome = outcomes.begin();
  for (const ClustersKey& key : keys) {
    std::vector<double> bytes;
    for (std::size_t i = 0; i < repeat; ++i, ++outcome) {
      points[key].seconds.push_back(outcome->seconds);
      bytes.push_back(static_cast<double>(outcome->report.transfers.total().count));
    }
    points[key].bytes = median_interval(std::move(bytes));
  }
  return {std::move(points), measure_bounds(options, assumptions, machine, bounds, progress),
          measure_distributions(options, machine)};
}

const ProductDistribution* ClustersResults::distribution(const std::string& clusters, const std::string& policy) const {
  const auto found = distributions_.find({clusters, policy});
  return found == distributions_.end() ? nullptr : &found->second;
}

const ClustersPoint* ClustersResults::point(const ClustersProblem& problem, const std::string& configuration,
                                            const std::string& policy) const {
  const auto found = points_.find({problem, configuration, policy});
  return found == points_.end() ? nullptr : &found->second;
}

const ClustersBound* ClustersResults::bound(const ClustersProblem& problem, const std::string& configuration) const {
  const auto found = bounds_.find({problem, configuration});
  return found == bounds_.end() ? nullptr : &found->second;
}

std::vector<ClustersProblem> ClustersResults::problems() const {
  std::vector<ClustersProblem> problems;
  for (const auto& [key, point] : points_) {
    if (problems.empty() || problems.back() != std::get<0>(key)) problems.push_back(std::get<0>(key));
  }
  return problems;
}

ClustersResults::Nearest ClustersResults::nearest_to_bound() const {
  Nearest nearest{std::numeric_limits<double>::infinity(), ""};
  for (const auto& [key, point] : points_) {
    const auto& [problem, configuration, policy] = key;
    const ClustersBound* bound = this->bound(problem, configuration);
    if (bound == nullptr) continue;
    for (std::size_t i = 0; i < point.seconds.size(); ++i) {
      const double ratio = point.seconds[i] / (bound->run_s.empty() ? bound->best_s : bound->run_s[i]);
      if (ratio >= nearest.ratio) continue;
      nearest = {ratio, fmt::format("{} {} {}", problem.name(), configuration, policy)};
    }
  }
  return nearest;
}

PolicyWithClusters compare_with_clusters(const ClustersResults& results, const std::string& policy) {
  std::map<ClustersProblem, std::pair<double, double>> best;
  for (const auto& [key, point] : results.points()) {
    auto& [own, rivals] = best[std::get<0>(key)];
    double& fastest = std::get<2>(key) == policy ? own : rivals;
    fastest = std::max(fastest, point.gflops(std::get<0>(key)).median);
  }
  PolicyWithClusters compared{0, std::numeric_limits<double>::infinity(), ""};
  for (const auto& [problem, speeds] : best) {
    const double ratio = speeds.first / speeds.second;
    compared.mean += std::log(ratio) / static_cast<double>(best.size());
    if (ratio >= compared.worst) continue;
    compared.worst = ratio;
    compared.worst_point = problem.name();
  }
  compared.mean = std::exp(compared.mean);
  return compared;
}

void check(const ClustersOptions& options) {
  for (const std::string& policy : options.policies()) {
    if (const std::string wrong = check_policy(policy); !wrong.empty()) throw Error(ErrorCode::invalid_argument, wrong);
  }
  const platform::MachineDescription machine = platform::load_machine(kClustersMachine).value_or_throw();
  for (const auto& [problem, configuration, policy] : all_cluster_points(options)) {
    if (task_count(linalg::Application::cholesky, problem.n() / problem.tile) > kMostTasks) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("n = {} in tiles of {} makes more than {:.0f} tasks: use larger tiles", problem.n(),
                              problem.tile, kMostTasks));
    }
    const SimulationOptions simulation = clusters_run(machine, problem, configuration).simulation;
    actors::check(simulation).value_or_throw();
    static_cast<void>(actors::simulated_topology(simulation).value_or_throw());
  }
}

}  // namespace troupe::apps
