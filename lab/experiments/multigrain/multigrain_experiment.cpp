#include "lab/experiments/multigrain/multigrain_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <tuple>

#include "apps/arguments/common_arguments.hpp"
#include "apps/simulate/modelled_super_blocks.hpp"
#include "apps/simulate/scaled_machine.hpp"
#include "apps/simulate/simulation_pool.hpp"

namespace troupe::apps {

namespace {

/// The size of a block in the paper, and the number of blocks on a side of a super-block.
constexpr std::int64_t kPaperBlock = 192;
constexpr int kPaperSide = 5;
/// The restriction for measurements of the GPU alone: products run only on the GPU; panels stay on cores.
constexpr const char* kProductsOnGpu = "gemm,gemm_super,gemm_super_pieces:gpus";

using MultigrainKey = std::pair<MultigrainPlace, MultigrainSeries>;

std::vector<MultigrainKey> all_multigrain_points(const MultigrainOptions& options) {
  std::vector<MultigrainKey> keys;
  for (const std::string& machine : options.machines) {
    for (const linalg::BlockSteps steps : options.steps) {
      for (const int blocks : options.blocks) {
        for (const MultigrainSeries& series : multigrain_series(options)) {
          if (series.grain == SparseGrain::fine && blocks > options.most_fine) continue;
          keys.push_back({{machine, steps, blocks}, series});
        }
      }
    }
  }
  return keys;
}

SparseLuArguments multigrain_problem(const MultigrainPlace& place, const MultigrainAssumptions& assumptions,
                                     SparseGrain grain) {
  SparseLuArguments arguments;
  arguments.structure = to_string(assumptions.structure);
  arguments.block = kPaperBlock;
  arguments.super = kPaperSide;
  arguments.grain = grain;
  arguments.steps = place.steps;
  return arguments;
}

/// The structures of matrices. All lines of a figure share them: there is one structure for each size, grain, steps and
/// seed.
class MultigrainProblems {
 public:
  const SimulatedSparseLu& of(const MultigrainPlace& place, const MultigrainAssumptions& assumptions, SparseGrain grain,
                              std::uint64_t seed) {
    const auto [found, added] = known_.try_emplace({place.blocks, place.steps, grain, seed});
    if (added) {
      const SparseLuArguments arguments = multigrain_problem(place, assumptions, grain);
      auto problem = std::make_shared<const SparseProblem>(problem_of(arguments, place.blocks, seed));
      found->second = simulated_sparse_lu(std::move(problem), arguments);
    }
    return found->second;
  }

 private:
  std::map<std::tuple<int, linalg::BlockSteps, SparseGrain, std::uint64_t>, SimulatedSparseLu> known_;
};

double stored_bytes(const SparseProblem& problem) {
  return static_cast<double>(problem.pattern.count()) * static_cast<double>(kPaperBlock * kPaperBlock) * sizeof(float);
}

SimulatedRun multigrain_run(const platform::MachineDescription& machine, const MultigrainSeries& series,
                            const SimulatedSparseLu& sparse) {
  SimulatedRun run;
  run.application = linalg::Application::lu;
  run.precision = Precision::single_precision;
  run.n = sparse.problem->order();
  run.tile = kPaperBlock;
  run.sparse = sparse;
  run.policy = series.policy;
  run.eviction = series.eviction;
  run.simulation.machine = machine;
  run.simulation.knowledge.priorities = series.priorities;
  // One core drives the GPU. It runs no tasks, even if the GPU is not used.
  run.simulation.cores = machine.cores - 1;
  if (series.devices != MultigrainDevices::cores) run.simulation.gpus = {0};
  if (series.devices == MultigrainDevices::gpu) run.restrict = kProductsOnGpu;
  if (series.cache == MultigrainCache::one_task) {
    const std::int64_t blocks = 3 * sparse.problem->largest_super_block();
    run.simulation.accelerators.gpu_memory =
        Bytes{static_cast<std::uint64_t>(blocks * kPaperBlock * kPaperBlock) * sizeof(float)};
  }
  return run;
}

platform::MachineDescription multigrain_machine(const std::string& name, const MultigrainAssumptions& assumptions) {
  auto machine = machine_with_streamed_fraction(name, assumptions.streamed_fraction).value_or_throw();
  derive_super_blocks(machine, "single", kPaperBlock, kPaperSide);
  return machine;
}

}  // namespace

std::string multigrain::both_under(const std::string& policy) { return "both, multi, " + policy; }

std::vector<MultigrainSeries> multigrain_series(const MultigrainOptions& options) {
  using enum SparseGrain;
  using enum MultigrainDevices;
  using enum MultigrainCache;
  constexpr const char* kStealing = "lws";
  std::vector<MultigrainSeries> all{{multigrain::kCoresFine, fine, cores, all_of_it, kStealing},
                                    {multigrain::kCoresCoarse, coarse, cores, all_of_it, kStealing},
                                    {multigrain::kCoresMulti, multi, cores, all_of_it, kStealing},
                                    {multigrain::kGpuFine, fine, gpu, one_task, kAgePolicy},
                                    {multigrain::kGpuCoarse, coarse, gpu, one_task, kAgePolicy},
                                    {multigrain::kGpuCache, coarse, gpu, all_of_it, kAgePolicy},
                                    {multigrain::kGpuAhead, coarse, gpu, all_of_it, kAheadPolicy},
                                    {multigrain::kBothFine, fine, both, one_task, kAgePolicy},
                                    {multigrain::kBothCoarse, coarse, both, one_task, kAgePolicy},
                                    {multigrain::kBothMulti, multi, both, one_task, kAgePolicy},
                                    {multigrain::kBothCache, multi, both, all_of_it, kAgePolicy},
                                    {multigrain::kBothAffinity, multi, both, all_of_it, kAffinityPolicy}};
  std::vector<std::string> policies = options.others;
  policies.push_back(options.policy);
  for (const std::string& policy : policies) {
    // If tasks had priorities, policy `multigrain` would order tasks first by priority, and only then by affinity.
    const bool by_affinity = policy.starts_with("multigrain");
    all.push_back({multigrain::both_under(policy), multi, both, all_of_it, policy, "next-use", !by_affinity});
  }
  return all;
}

std::string MultigrainAssumptions::name() const {
  return fmt::format("{}, {:g}", to_string(structure), streamed_fraction);
}

std::string name_of(const MultigrainPlace& place) {
  return fmt::format("{} {}, {}", place.machine, place.blocks,
                     place.steps == linalg::BlockSteps::products ? "step 3" : "all steps");
}

std::string title_of(const std::string& machine, linalg::BlockSteps steps) {
  return fmt::format("{}, {}", machine, steps == linalg::BlockSteps::products ? "step 3 alone" : "all steps");
}

MultigrainResults MultigrainResults::measure(const MultigrainOptions& options, const MultigrainAssumptions& assumptions,
                                             const ProgressOptions& progress) {
  const std::vector<MultigrainKey> keys = all_multigrain_points(options);
  std::map<std::string, platform::MachineDescription> machines;
  for (const std::string& name : options.machines) machines.emplace(name, multigrain_machine(name, assumptions));
  // The problems are made in this thread, before other threads run.
  MultigrainProblems problems;
  const auto repeat = static_cast<std::size_t>(options.repeat);
  const auto sparse_of = [&](std::size_t i) -> const SimulatedSparseLu& {
    const auto& [place, series] = keys[i / repeat];
    return problems.of(place, assumptions, series.grain, options.seed + i % repeat);
  };
  std::vector<const SimulatedSparseLu*> sparse;
  for (std::size_t i = 0; i < keys.size() * repeat; ++i) sparse.push_back(&sparse_of(i));
  const auto make = [&](std::size_t i) {
    const auto& [place, series] = keys[i / repeat];
    return multigrain_run(machines.at(place.machine), series, *sparse[i]);
  };
  const std::vector<FactorizationOutcome> outcomes = simulate_all({keys.size() * repeat, make}, options.jobs, progress);
  Points points;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    std::vector<double> gflops;
    std::vector<double> bytes;
    std::vector<double> stored;
    for (std::size_t i = k * repeat; i < (k + 1) * repeat; ++i) {
      gflops.push_back(outcomes[i].gflops);
      bytes.push_back(static_cast<double>(outcomes[i].report.transfers.total().count));
      stored.push_back(stored_bytes(*sparse[i]->problem));
    }
    points[{keys[k].first, keys[k].second.name}] = {median_interval(gflops), median_interval(bytes),
                                                    median_interval(stored).median};
  }
  return MultigrainResults(std::move(points));
}

const MultigrainPoint* MultigrainResults::point(const MultigrainPlace& place, const std::string& series) const {
  const auto found = points_.find({place, series});
  return found == points_.end() ? nullptr : &found->second;
}

const MultigrainPoint* MultigrainResults::fastest_on_cores(const MultigrainPlace& place) const {
  const MultigrainPoint* fastest = nullptr;
  for (const char* grain : {multigrain::kCoresFine, multigrain::kCoresCoarse, multigrain::kCoresMulti}) {
    const MultigrainPoint* found = point(place, grain);
    if (found == nullptr) continue;
    if (fastest == nullptr || fastest->gflops.median < found->gflops.median) fastest = found;
  }
  return fastest;
}

std::vector<MultigrainPlace> MultigrainResults::places() const {
  std::set<MultigrainPlace> all;
  for (const auto& [key, point] : points_) all.insert(key.first);
  return {all.begin(), all.end()};
}

MultigrainComparison compare_with_affinity(const MultigrainResults& results, const std::string& policy) {
  MultigrainComparison compared{0, 0, std::numeric_limits<double>::infinity(), "", 0};
  int moved = 0;
  for (const MultigrainPlace& place : results.places()) {
    const MultigrainPoint* own = results.point(place, multigrain::both_under(policy));
    const MultigrainPoint* papers = results.point(place, multigrain::kBothAffinity);
    if (own == nullptr || papers == nullptr) continue;
    const double ratio = own->gflops.median / papers->gflops.median;
    compared.mean += std::log(ratio);
    ++compared.places;
    if (own->bytes.median > 0 && papers->bytes.median > 0) {
      compared.bytes += std::log(own->bytes.median / papers->bytes.median);
      ++moved;
    }
    if (ratio >= compared.worst) continue;
    compared.worst = ratio;
    compared.worst_place = name_of(place);
  }
  compared.mean = std::exp(compared.mean / std::max(1, compared.places));
  compared.bytes = std::exp(compared.bytes / std::max(1, moved));
  return compared;
}

void check(const MultigrainOptions& options) {
  for (const MultigrainSeries& series : multigrain_series(options)) {
    if (const std::string wrong = check_policy(series.policy); !wrong.empty()) {
      throw Error(ErrorCode::invalid_argument, wrong);
    }
  }
  for (const std::string& machine : options.machines) {
    static_cast<void>(multigrain_machine(machine, MultigrainAssumptions{}));
  }
  for (const int blocks : options.blocks) {
    // This call throws if the finest line at this size has too many tasks. That line has tasks on single blocks up to
    // the size `most_fine`, otherwise on super-blocks.
    static_cast<void>(MultigrainProblems().of({"", linalg::BlockSteps::all, blocks}, MultigrainAssumptions{},
                                              blocks <= options.most_fine ? SparseGrain::fine : SparseGrain::coarse,
                                              options.seed));
  }
}

}  // namespace troupe::apps
