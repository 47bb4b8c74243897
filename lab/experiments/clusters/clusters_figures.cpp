#include "lab/experiments/clusters/clusters_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "proto/human_count.hpp"

namespace troupe::apps {

namespace {

/// The number of GPUs in the paper's figure 4.
constexpr int kFigureGpus = 1;
constexpr double kOrdersPerMark = 5000;

/// A row of a picture: all problems with the same tile and the same number of GPUs.
using ChartPlace = std::pair<std::int64_t, int>;

std::string place_title(const ChartPlace& place) {
  return fmt::format("tile {}, {}", place.first, counted(static_cast<std::uint64_t>(place.second), "GPU"));
}

class FigureRows {
 public:
  FigureRows(const ClustersResults& results, std::string policy) : results_(results), policy_(std::move(policy)) {
    for (const ClustersProblem& problem : results_.problems()) places_.insert({problem.tile, problem.gpus});
  }

  [[nodiscard]] const std::set<ChartPlace>& places() const { return places_; }

  /// Returns the speeds of one configuration. The series has no points if the configuration was not measured.
  [[nodiscard]] ChartSeries speeds(const ChartPlace& place, const std::string& configuration) const {
    ChartSeries series{configuration, {}};
    for (const ClustersProblem& problem : problems(place)) {
      const ClustersPoint* point = results_.point(problem, configuration, policy_);
      if (point == nullptr) continue;
      series.points.push_back(chart_point(static_cast<double>(problem.n()), point->gflops(problem), point->bytes));
    }
    return series;
  }

  [[nodiscard]] ChartSeries bounds(const ChartPlace& place, const std::string& configuration) const {
    ChartSeries series{configuration + ", bound", {}};
    for (const ClustersProblem& problem : problems(place)) {
      const ClustersBound* bound = results_.bound(problem, configuration);
      if (bound == nullptr) continue;
      const double gflops = problem.gflops(bound->iterated_s);
      series.points.push_back({static_cast<double>(problem.n()), {gflops, gflops, gflops}, std::nullopt});
    }
    return series;
  }

  /// Returns one series for each policy: the fastest configuration at each order.
  [[nodiscard]] std::vector<ChartSeries> best_of_policies(const ChartPlace& place) const {
    std::map<std::string, std::map<std::int64_t, ChartPoint>> best;
    for (const auto& [key, point] : results_.points()) {
      const auto& [problem, configuration, policy] = key;
      if (ChartPlace{problem.tile, problem.gpus} != place) continue;
      const ChartPoint drawn = chart_point(static_cast<double>(problem.n()), point.gflops(problem), point.bytes);
      const auto [known, added] = best[policy].try_emplace(problem.n(), drawn);
      if (known->second.gflops.value < drawn.gflops.value) known->second = drawn;
    }
    std::vector<ChartSeries> all;
    for (const auto& [policy, points] : best) {
      ChartSeries& series = all.emplace_back(ChartSeries{policy, {}});
      for (const auto& [n, point] : points) series.points.push_back(point);
    }
    return all;
  }

 private:
  [[nodiscard]] std::vector<ClustersProblem> problems(const ChartPlace& place) const {
    std::vector<ClustersProblem> problems = results_.problems();
    std::erase_if(problems, [&](const auto& p) { return ChartPlace{p.tile, p.gpus} != place; });
    return problems;
  }

  const ClustersResults& results_;
  std::string policy_;
  std::set<ChartPlace> places_;
};

}  // namespace

std::vector<ExperimentFigure> clusters_figures(const ClustersResults& results, const std::string& policy,
                                               const std::string& setting) {
  const FigureRows all(results, policy);
  std::vector<ExperimentFigure> figures;
  const auto figure = [&](const std::string& name, const std::string& title) -> ScalingChart& {
    figures.push_back({name, title, {fmt::format("{}: {}", title, setting), {}, "n", kOrdersPerMark}});
    return figures.back().chart;
  };
  ScalingChart& bounds = figure("figure4", "Cores alone and in clusters, with bounds, under " + policy);
  for (const ChartPlace& place : all.places()) {
    if (place.second != kFigureGpus) continue;
    add_chart_row(
        bounds, place_title(place),
        {all.speeds(place, "20x1"), all.speeds(place, "2x10"), all.bounds(place, "20x1"), all.bounds(place, "2x10")});
  }
  ScalingChart& gpus = figure("figure5", "Cores alone and in clusters, by GPUs, under " + policy);
  for (const ChartPlace& place : all.places())
    add_chart_row(gpus, place_title(place), {all.speeds(place, "20x1"), all.speeds(place, "2x10")});
  ScalingChart& constrained = figure("figure6", "potrf and trsm on cores alone, under " + policy);
  int most = 0;
  for (const ChartPlace& place : all.places()) most = std::max(most, place.second);
  for (const ChartPlace& place : all.places()) {
    if (place.second != most) continue;
    add_chart_row(constrained, place_title(place),
                  {all.speeds(place, "20x1"), all.speeds(place, "2x10"), all.speeds(place, "2x10c")});
  }
  ScalingChart& policies = figure("policies", "Policies, each with its fastest configuration");
  for (const ChartPlace& place : all.places()) add_chart_row(policies, place_title(place), all.best_of_policies(place));
  std::erase_if(figures, [](const ExperimentFigure& one) { return one.chart.rows.empty(); });
  return figures;
}

}  // namespace troupe::apps
