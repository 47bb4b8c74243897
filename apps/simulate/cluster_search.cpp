#include "apps/simulate/cluster_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "actors/simulating/kernel_duration.hpp"
#include "actors/simulating/simulated_cores.hpp"
#include "apps/simulate/modelled_codelets.hpp"
#include "apps/simulate/simulation_pool.hpp"
#include "apps/simulate/simulation_request.hpp"

namespace troupe::apps {

namespace {

/// Of the candidates that a smaller matrix was simulated with, so many go on to a larger one.
constexpr std::size_t kOneInSoMany = 4;
/// The least that a smaller matrix has across; with fewer there are no steps to speak of.
constexpr std::int64_t kFewestTiles = 4;

/// The largest matrix, at most of order `most_n`, whose simulations have so many tasks together.
std::int64_t affordable_order(const SimulatedRun& run, std::size_t simulations, double tasks, std::int64_t most_n) {
  const std::int64_t most_tiles = (most_n - 1) / run.tile + 1;
  const auto cost = [&](std::int64_t tiles) {
    return static_cast<double>(simulations) * task_count(run.application, tiles);
  };
  if (cost(most_tiles) <= tasks) return most_n;
  std::int64_t tiles = std::min(kFewestTiles, most_tiles);
  while (tiles + 1 < most_tiles && cost(tiles + 1) <= tasks) ++tiles;
  return std::min(most_n, tiles * run.tile);
}

class Search {
 public:
  Search(SimulatedRun run, const ClusterSearchOptions& options) : run_(std::move(run)), options_(options) {
    run_.trace = false;
    run_.recorder = nullptr;
    run_.access_observer = nullptr;
    run_.simulation.noise = false;
  }

  /// With a matrix of order `n`.
  void simulate(std::vector<TriedClusters>& some, std::int64_t n) {
    const SimulationList list{some.size(), [&](std::size_t i) {
                                SimulatedRun run = run_;
                                run.n = n;
                                run.simulation.clusters = some[i].clusters.workers;
                                return run;
                              }};
    const std::vector<FactorizationOutcome> outcomes = simulate_all(list, options_.jobs, options_.progress);
    for (std::size_t i = 0; i < some.size(); ++i) {
      some[i].n = n;
      some[i].seconds = outcomes[i].seconds;
      some[i].gflops = outcomes[i].gflops;
      tasks_ += static_cast<double>(outcomes[i].tasks);
    }
    std::ranges::stable_sort(some, {}, &TriedClusters::seconds);
  }

  /// What is left to spend.
  [[nodiscard]] double tasks_left() const { return std::max(0.0, options_.most_tasks - tasks_); }

 private:
  SimulatedRun run_;
  const ClusterSearchOptions& options_;
  double tasks_ = 0;
};

}  // namespace

ClusterChoice choose_clusters(const SimulatedRun& run, const std::vector<platform::ClusterCandidate>& candidates,
                              const ClusterSearchOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Search search(run, options);
  std::vector<TriedClusters> contest;
  for (const platform::ClusterCandidate& candidate : candidates) contest.push_back({candidate});
  ClusterChoice choice;
  choice.n = run.n;
  std::int64_t n = 0;
  while (n < run.n && (n == 0 || contest.size() > 1)) {
    const std::int64_t all_at = affordable_order(run, contest.size(), search.tasks_left(), run.n);
    const std::int64_t next =
        all_at == run.n ? run.n : affordable_order(run, contest.size(), search.tasks_left() / 2, run.n);
    if (next <= n) break;
    n = next;
    search.simulate(contest, n);
    const std::size_t go_on = n == run.n ? contest.size() : (contest.size() + kOneInSoMany - 1) / kOneInSoMany;
    const auto first_out = contest.begin() + static_cast<std::ptrdiff_t>(go_on);
    choice.tried.insert(choice.tried.begin(), first_out, contest.end());
    contest.erase(first_out, contest.end());
  }
  choice.tried.insert(choice.tried.begin(), contest.begin(), contest.end());
  choice.search_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return choice;
}

ClusterChoice choose_described_clusters(const SimulatedRun& run, const ClusterSearchOptions& options) {
  SimulationOptions simulation = run.simulation;
  simulation.clusters.clear();
  actors::check(simulation).value_or_throw();
  const platform::Topology topology = actors::simulated_topology(simulation).value_or_throw();
  std::vector<platform::ClusterCandidate> candidates = platform::cluster_candidates(topology.cores, topology.machine);
  // All cores drive GPUs.
  if (candidates.empty()) candidates.emplace_back();
  std::string remark;
  if (candidates.size() == 1) {
    remark = "there are too few cores to form clusters of";
  } else if (const auto known = check_cluster_times(run, 2); !known) {
    remark = known.failure().message;
    candidates.resize(1);
  }
  ClusterChoice choice = choose_clusters(run, candidates, options);
  choice.remark = std::move(remark);
  return choice;
}

Result<void> check_cluster_times(const SimulatedRun& run, int cores) {
  const auto& machine = run.simulation.machine;
  const auto kernels = run.precision == Precision::single_precision
                           ? modelled_kernels<float>(run.application, machine, run.pivoting)
                           : modelled_kernels<double>(run.application, machine, run.pivoting);
  if (!kernels) return kernels.failure();
  for (const ModelledKernel& kernel : kernels.value()) {
    const platform::KernelTimes& times = *kernel.times;
    if (!times.on_cpu()) continue;
    const std::string name = fmt::format("{}/{}/{}", times.application(), times.kernel(), times.precision());
    const auto time = actors::described_time(machine, name, 0, {{DeviceKind::cpu_core, cores}});
    if (!time) return time.failure();
  }
  return {};
}

}  // namespace troupe::apps
