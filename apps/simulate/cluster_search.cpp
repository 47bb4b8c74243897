#include "apps/simulate/cluster_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <utility>

#include "actors/simulating/kernel_duration.hpp"
#include "actors/simulating/simulated_cores.hpp"
#include "apps/arguments/common_arguments.hpp"
#include "apps/simulate/modelled_codelets.hpp"
#include "apps/simulate/simulation_pool.hpp"
#include "apps/simulate/simulation_request.hpp"
#include "graph/codelets/restrictions.hpp"

namespace troupe::apps {

namespace {

/// After each matrix, the fastest 1/`kOneInSoMany` of the candidates are simulated with the next larger matrix.
constexpr std::size_t kOneInSoMany = 4;
/// The fewest tiles on a side of a smaller matrix. With fewer tiles, the factorization would have too few steps.
constexpr std::int64_t kFewestTiles = 4;

/// The time for simulating one task, divided by the number of workers, because each decision about a task considers all
/// workers. Measured: 6 to 18 us per task with 24 workers, 45 us with 120.
constexpr double kSecondsPerTaskAndWorker = 0.4e-6;
/// Clusters have to be faster than single cores by more than this fraction, because the model is not more exact than
/// that.
constexpr double kNoGain = 0.003;
/// The times of single runs without noise depend on luck, so times that differ by less than this fraction count as
/// equal.
constexpr double kNearBest = 0.1;
constexpr std::size_t kMostFinalists = 16;
constexpr std::size_t kLeastNoisyRuns = 4;
constexpr std::size_t kMostNoisyRuns = 25;
/// The distance of the noisy runs' seeds from the run's seed. The noisy runs must not have the same noise as the run.
constexpr std::uint64_t kFirstSeed = 1'000'003;

/// Returns the estimated time, in seconds, for simulating a matrix of order `n` once with each candidate of the
/// contest.
double cost_s(const SimulatedRun& run, std::span<const TriedClusters> contest, std::int64_t n) {
  double workers = 0;
  for (const TriedClusters& one : contest) {
    workers += static_cast<double>(one.clusters.count) + static_cast<double>(run.simulation.gpus.size());
  }
  return task_count(run.application, (n - 1) / run.tile + 1) * workers * kSecondsPerTaskAndWorker;
}

/// Returns the order of the largest matrix that can be simulated with all candidates in `most_s`, but at most the run's
/// order.
std::int64_t affordable_order(const SimulatedRun& run, std::span<const TriedClusters> contest, double most_s) {
  if (cost_s(run, contest, run.n) <= most_s) return run.n;
  std::int64_t n = std::min(run.n, kFewestTiles * run.tile);
  while (n + run.tile < run.n && cost_s(run, contest, n + run.tile) <= most_s) n += run.tile;
  return n;
}

/// Sorts by time, the fastest first. Single cores come first even if they are slightly slower.
void sort_by_time(std::span<TriedClusters> some) {
  std::ranges::stable_sort(some, {}, &TriedClusters::seconds);
  const auto single =
      std::ranges::find_if(some, [](const TriedClusters& one) { return one.clusters.specification.empty(); });
  if (single == some.end() || single->seconds > some.front().seconds * (1 + kNoGain)) return;
  std::rotate(some.begin(), single, single + 1);
}

class Search {
 public:
  Search(SimulatedRun run, const ClusterSearchOptions& options) : run_(std::move(run)), options_(options) {
    run_.trace = false;
    run_.recorder = nullptr;
    run_.access_observer = nullptr;
  }

  /// Simulates a matrix of order `n` with each candidate, `runs` times, stores the mean times, and sorts the
  /// candidates.
  void simulate(std::span<TriedClusters> some, std::int64_t n, std::size_t runs) {
    const SimulationList list{some.size() * runs, [&](std::size_t i) {
                                SimulatedRun run = run_;
                                run.n = n;
                                run.simulation.clusters = some[i / runs].clusters.in_virtual_time();
                                if (run.simulation.clusters == kAutomaticClusters)
                                  run.policy = options_.changing_policy;
                                run.simulation.noise = runs > 1;
                                if (runs > 1) run.simulation.seed += kFirstSeed + i % runs;
                                return run;
                              }};
    const std::vector<FactorizationOutcome> outcomes = simulate_all(list, options_.jobs, options_.progress);
    spent_s_ += static_cast<double>(runs) * cost_s(run_, some, n);
    for (std::size_t i = 0; i < some.size(); ++i) {
      some[i].n = n;
      some[i].runs = static_cast<int>(runs);
      some[i].seconds = 0;
      for (std::size_t k = 0; k < runs; ++k) {
        some[i].seconds += outcomes[i * runs + k].seconds / static_cast<double>(runs);
      }
      some[i].gflops = linalg::flop_count(run_.application, n, n) / some[i].seconds / 1e9;
    }
    sort_by_time(some);
  }

  /// Decides between sorted candidates that were simulated with a matrix of order `n`. The first candidate may be first
  /// by luck. The first candidate and those with nearly the same time are therefore simulated again, with noise.
  void decide(std::span<TriedClusters> contest, std::int64_t n) {
    const double most_s = std::max(left_s() / 3, options_.most_seconds / 10);
    const auto affordable_runs = [&](std::size_t finalists) {
      const double runs = most_s / cost_s(run_, contest.first(finalists), n);
      return static_cast<std::size_t>(std::min(runs, static_cast<double>(kMostNoisyRuns)));
    };
    std::size_t finalists = 1;
    while (finalists < std::min(contest.size(), kMostFinalists) &&
           contest[finalists].seconds <= contest.front().seconds * (1 + kNearBest) &&
           affordable_runs(finalists + 1) >= kLeastNoisyRuns) {
      ++finalists;
    }
    if (finalists > 1) simulate(contest.first(finalists), n, affordable_runs(finalists));
  }

  /// Returns the remaining time for simulations.
  [[nodiscard]] double left_s() const { return std::max(0.0, options_.most_seconds - spent_s_); }

 private:
  SimulatedRun run_;
  const ClusterSearchOptions& options_;
  double spent_s_ = 0;
};

}  // namespace

ClusterChoice choose_clusters(const SimulatedRun& run, const std::vector<platform::ClusterCandidate>& candidates,
                              const ClusterSearchOptions& options) {
  for (const auto& [codelet, devices] : parse_restrictions(run.restrict).value_or_throw()) {
    const auto by_number = [](const DeviceChoice& choice) { return !choice.workers.empty(); };
    if (std::ranges::none_of(devices.choices(), by_number)) continue;
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("--clusters auto: '{}' is restricted to workers by number, which are others in each grouping "
                    "of the cores: restrict it to a kind or a model, or name the clusters",
                    codelet));
  }
  const auto start = std::chrono::steady_clock::now();
  Search search(run, options);
  std::vector<TriedClusters> contest;
  for (const platform::ClusterCandidate& candidate : candidates) contest.push_back({candidate});
  if (candidates.size() > 1 && !options.changing_policy.empty()) {
    // For clusters that change during the run, the number of workers is that of single cores.
    contest.push_back({{kAutomaticClusters, "changing", candidates.back().largest, candidates.front().count}});
  }
  ClusterChoice choice;
  choice.n = run.n;
  std::int64_t n = 0;
  while (n < run.n && (n == 0 || contest.size() > 1)) {
    std::int64_t next = affordable_order(run, contest, search.left_s());
    // Keep half of the time for a larger matrix with the best candidates.
    if (next < run.n) next = affordable_order(run, contest, search.left_s() / 2);
    if (next <= n) break;
    n = next;
    search.simulate(contest, n, 1);
    const std::size_t go_on = n == run.n ? contest.size() : (contest.size() + kOneInSoMany - 1) / kOneInSoMany;
    const auto first_out = contest.begin() + static_cast<std::ptrdiff_t>(go_on);
    choice.tried.insert(choice.tried.begin(), first_out, contest.end());
    contest.erase(first_out, contest.end());
  }
  if (run.simulation.noise) search.decide(contest, n);
  choice.tried.insert(choice.tried.begin(), contest.begin(), contest.end());
  choice.search_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return choice;
}

ClusterChoice choose_described_clusters(const SimulatedRun& run, const ClusterSearchOptions& options) {
  actors::check(run.simulation).value_or_throw();
  const platform::Topology topology = actors::simulated_topology(run.simulation, false).value_or_throw();
  std::vector<platform::ClusterCandidate> candidates =
      platform::cluster_candidates(topology.cores, topology.machine, platform::Spanning::allowed);
  // If all cores drive GPUs, there are no candidates. Single cores are then the only candidate.
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
