#include "lab/experiments/dada_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/simulate/gpu_choice.hpp"
#include "apps/simulate/simulation_pool.hpp"

namespace troupe::apps {

namespace {

using namespace dada_policy;

const std::vector<std::string>& compared_policies() {
  static const std::vector<std::string> policies{std::string(kHeft), std::string(kAlphaZero), std::string(kAlphaHalf),
                                                 std::string(kAlphaHalfCp)};
  return policies;
}

using Key = std::tuple<DadaGraph, std::string, int>;

/// Returns all points, each once, even if several figures use it.
std::vector<Key> all_points() {
  std::vector<Key> keys;
  const auto add = [&keys](DadaGraph graph, const std::string& policy) {
    for (int gpus = 1; gpus <= kDadaGpus; ++gpus) {
      const Key key{graph, policy, gpus};
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  };
  for (const DadaFigure& figure : dada_figures()) {
    for (const DadaFigure::Row& row : figure.rows) {
      for (const std::string& policy : row.policies) add(row.graph, policy);
    }
  }
  for (const DadaGraph graph : kDadaGraphs) add(graph, std::string(kStealing));
  return keys;
}

}  // namespace

const char* to_string(DadaGraph graph) {
  switch (graph) {
    case DadaGraph::cholesky: return "Cholesky";
    case DadaGraph::lu: return "LU without pivoting";
    case DadaGraph::lu_incremental: return "LU with incremental pivoting";
    case DadaGraph::qr: return "QR";
  }
  return "";
}

linalg::Application application_of(DadaGraph graph) {
  switch (graph) {
    case DadaGraph::cholesky: return linalg::Application::cholesky;
    case DadaGraph::lu:
    case DadaGraph::lu_incremental: return linalg::Application::lu;
    case DadaGraph::qr: break;
  }
  return linalg::Application::qr;
}

linalg::Pivoting pivoting_of(DadaGraph graph) {
  return graph == DadaGraph::lu_incremental ? linalg::Pivoting::incremental : linalg::Pivoting::none;
}

std::vector<std::string> policies_over_alpha(bool prediction) {
  std::vector<std::string> policies;
  for (const char* alpha : {"0", "0.25", "0.5", "0.75", "1"}) {
    policies.push_back(fmt::format("dada:alpha={}{}", alpha, prediction ? ",cp" : ""));
  }
  return policies;
}

std::vector<DadaFigure> dada_figures() {
  return {
      {"figure1",
       "Cholesky, the influence of alpha",
       {{"without communication prediction", DadaGraph::cholesky, policies_over_alpha(false)},
        {"with communication prediction", DadaGraph::cholesky, policies_over_alpha(true)}}},
      {"figure2", "Cholesky", {{"", DadaGraph::cholesky, compared_policies()}}},
      {"figure3", "LU without pivoting", {{"", DadaGraph::lu, compared_policies()}}},
      {"figure3-incremental", "LU with incremental pivoting", {{"", DadaGraph::lu_incremental, compared_policies()}}},
      {"figure4", "QR", {{"", DadaGraph::qr, compared_policies()}}}};
}

DadaResults DadaResults::measure(const DadaExperimentOptions& options, const platform::MachineDescription& machine,
                                 const ProgressOptions& progress) {
  // GPUs are used in the paper's order: the first four are connected to different switches.
  const std::vector<int> order = gpu_order("spread", machine).value_or_throw();
  const std::vector<Key> keys = all_points();
  const auto repeat = static_cast<std::size_t>(options.repeat);
  const auto place = [&](const Key& key) {
    return SimulationPlace{options.n, {order.begin(), order.begin() + std::get<2>(key)}, std::get<1>(key)};
  };
  const auto make = [&](std::size_t i) {
    const Key& key = keys[i / repeat];
    SimulatedRun run;
    run.application = application_of(std::get<0>(key));
    run.pivoting = pivoting_of(std::get<0>(key));
    run.n = options.n;
    run.tile = options.tile;
    run.inner = std::min<std::int64_t>(run.inner, options.tile);
    run.policy = std::get<1>(key);
    run.simulation.machine = machine;
    run.simulation.gpus = place(key).gpus;
    run.simulation.noise = true;
    run.simulation.copies.peer = options.peer_copies;
    run.simulation.seed = options.seed + i % repeat;
    return run;
  };
  const std::vector<FactorizationOutcome> outcomes = simulate_all({keys.size() * repeat, make}, options.jobs, progress);
  Points points;
  auto first = outcomes.begin();
  for (const Key& key : keys) {
    const auto end = first + static_cast<std::ptrdiff_t>(repeat);
    points.emplace(key, point_of(place(key), {first, end}));
    first = end;
  }
  return DadaResults(std::move(points));
}

const SimulationPoint& DadaResults::at(DadaGraph graph, std::string_view policy, int gpus) const {
  return points_.at({graph, std::string(policy), gpus});
}

ScalingChart chart_of(const DadaFigure& figure, const DadaResults& results, const std::string& setting) {
  ScalingChart chart{fmt::format("{}: {}", figure.title, setting), {}};
  for (const DadaFigure::Row& row : figure.rows) {
    ChartRow& drawn = chart.rows.emplace_back();
    drawn.title = row.title;
    for (const std::string& policy : row.policies) {
      ChartSeries& series = drawn.series.emplace_back();
      series.name = policy;
      for (int gpus = 1; gpus <= kDadaGpus; ++gpus) {
        const SimulationPoint& point = results.at(row.graph, policy, gpus);
        series.points.push_back(
            {static_cast<double>(gpus), point.gflops, Estimate{point.bytes.mean / 1e9, point.bytes.margin / 1e9}});
      }
    }
  }
  return chart;
}

}  // namespace troupe::apps
