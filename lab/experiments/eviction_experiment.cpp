#include "lab/experiments/eviction_experiment.hpp"

#include <fmt/format.h>

#include <memory>
#include <numeric>
#include <utility>

#include "actors/memory/eviction/eviction_policies.hpp"
#include "apps/simulate/simulation_pool.hpp"
#include "lab/experiments/offline_eviction.hpp"
#include "proto/human_count.hpp"
#include "proto/json/json.hpp"
#include "traces/text/table.hpp"

namespace troupe::apps {

namespace {

struct ComparedProgram {
  const char* name;
  linalg::Application application;
  bool sparse;
};
constexpr ComparedProgram kProblems[] = {{"sparse lu", linalg::Application::lu, true},
                                         {"cholesky", linalg::Application::cholesky, false},
                                         {"lu", linalg::Application::lu, false},
                                         {"qr", linalg::Application::qr, false}};

Bytes capacity_of(const EvictionExperimentOptions& options) {
  const auto elements = static_cast<std::uint64_t>(options.n) * static_cast<std::uint64_t>(options.n);
  return {elements * sizeof(double) / 4 / static_cast<std::uint64_t>(options.gpus)};
}

SimulatedRun run_of(const EvictionExperimentOptions& options, const ComparedProgram& problem,
                    std::string_view eviction) {
  SimulatedRun run;
  run.application = problem.application;
  run.n = options.n;
  run.tile = options.tile;
  run.policy = options.policy;
  run.simulation.machine = platform::load_machine(options.machine).value_or_throw();
  run.simulation.gpus.resize(static_cast<std::size_t>(options.gpus));
  std::iota(run.simulation.gpus.begin(), run.simulation.gpus.end(), 0);
  run.simulation.accelerators.gpu_memory = capacity_of(options);
  run.simulation.seed = options.seed;
  run.eviction = eviction;
  run.reuse_by_position = eviction == "reuse";
  if (problem.sparse) run.empty_tiles_seed = options.seed;
  return run;
}

EvictionFigure figure_of(const SimulatedRun& run, const AccessLog& log, const FactorizationOutcome& outcome) {
  std::vector<memory::NodeDescription> nodes{{}};
  for (std::size_t i = 0; i < run.simulation.gpus.size(); ++i)
    nodes.push_back({true, *run.simulation.accelerators.gpu_memory});
  EvictionFigure figure;
  figure.eviction = run.eviction;
  figure.seconds = outcome.seconds;
  figure.moved = log.moved() + log.not_on_host();
  figure.offline = furthest_next_use_offline(log, nodes).total();
  figure.evictions = outcome.report.transfers.manager.evictions;
  figure.write_backs = outcome.report.transfers.manager.write_backs;
  return figure;
}

}  // namespace

std::vector<EvictionComparison> compare_evictions(const EvictionExperimentOptions& options,
                                                  const ProgressOptions& progress) {
  const auto evictions = memory::eviction_policy_names();
  std::vector<SimulatedRun> runs;
  std::vector<std::shared_ptr<AccessLog>> logs;
  for (const ComparedProgram& problem : kProblems) {
    for (const std::string_view eviction : evictions) {
      runs.push_back(run_of(options, problem, eviction));
      runs.back().access_observer = logs.emplace_back(std::make_shared<AccessLog>());
    }
  }
  const auto outcomes = simulate_all({runs.size(), [&](std::size_t i) { return runs[i]; }}, options.jobs, progress);
  std::vector<EvictionComparison> comparisons;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i % evictions.size() == 0) {
      comparisons.push_back({kProblems[i / evictions.size()].name, capacity_of(options), {}});
    }
    comparisons.back().figures.push_back(figure_of(runs[i], *logs[i], outcomes[i]));
  }
  return comparisons;
}

std::string eviction_text(const EvictionExperimentOptions& options,
                          const std::vector<EvictionComparison>& comparisons) {
  traces::Table table(
      {"problem", "eviction", ">GB moved", ">offline", ">ratio", ">evictions", ">write-backs", ">seconds"});
  for (const EvictionComparison& comparison : comparisons) {
    if (&comparison != &comparisons.front()) table.add_rule();
    for (const EvictionFigure& figure : comparison.figures) {
      table.add_row({comparison.problem, figure.eviction,
                     fmt::format("{:.3f}", static_cast<double>(figure.moved.count) / 1e9),
                     fmt::format("{:.3f}", static_cast<double>(figure.offline.count) / 1e9),
                     fmt::format("{:.3f}", figure.ratio()), std::to_string(figure.evictions),
                     std::to_string(figure.write_backs), fmt::format("{:.3f}", figure.seconds)});
    }
  }
  return fmt::format(
             "n = {}, tiles of {}, {} with memory for a quarter of the matrix together, policy {}, machine {}; "
             "offline: furthest-next-use that knows the run's accesses\n\n",
             options.n, options.tile, counted(static_cast<std::uint64_t>(options.gpus), "GPU"), options.policy,
             options.machine) +
         table.text();
}

Json eviction_json(const EvictionExperimentOptions& options, const std::vector<EvictionComparison>& comparisons) {
  Json problems = Json::array();
  for (const EvictionComparison& comparison : comparisons) {
    Json figures = Json::array();
    for (const EvictionFigure& figure : comparison.figures) {
      figures.push_back({{"eviction", figure.eviction},
                         {"seconds", figure.seconds},
                         {"bytes", figure.moved.count},
                         {"bytes_offline", figure.offline.count},
                         {"ratio", figure.ratio()},
                         {"evictions", figure.evictions},
                         {"write_backs", figure.write_backs}});
    }
    problems.push_back({{"app", comparison.problem},
                        {"gpu_memory_bytes", comparison.capacity.count},
                        {"figures", std::move(figures)}});
  }
  return {{"experiment", "eviction"}, {"virtual", true},      {"platform", options.machine},
          {"policy", options.policy}, {"n", options.n},       {"tile", options.tile},
          {"gpus", options.gpus},     {"seed", options.seed}, {"problems", std::move(problems)}};
}

}  // namespace troupe::apps
