#include "lab/experiments/multigrain/multigrain_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace troupe::apps {

namespace {

constexpr double kBlocksPerMark = 20;

/// The machine and the steps that are common to the points of a row.
using MultigrainRow = std::pair<std::string, linalg::BlockSteps>;

class MultigrainLines {
 public:
  explicit MultigrainLines(const MultigrainResults& results) : results_(results) {
    for (const MultigrainPlace& place : results_.places()) rows_.insert({place.machine, place.steps});
  }

  /// Returns the rows. Step 3 comes before all steps, as in the paper.
  [[nodiscard]] std::vector<MultigrainRow> rows() const {
    std::vector<MultigrainRow> rows(rows_.begin(), rows_.end());
    std::ranges::stable_sort(rows, std::ranges::greater{}, &MultigrainRow::second);
    return rows;
  }
  [[nodiscard]] std::vector<MultigrainRow> rows_of_step3() const {
    std::vector<MultigrainRow> found = rows();
    std::erase_if(found, [](const MultigrainRow& row) { return row.second != linalg::BlockSteps::products; });
    return found;
  }

  /// Returns the lines. If a line was not measured, it has no points.
  [[nodiscard]] std::vector<ChartSeries> lines(const MultigrainRow& row, const std::vector<std::string>& names) const {
    std::vector<ChartSeries> all;
    for (const std::string& name : names) {
      ChartSeries& line = all.emplace_back(ChartSeries{name, {}});
      for (const MultigrainPlace& place : places(row)) {
        const MultigrainPoint* point = results_.point(place, name);
        if (point != nullptr) line.points.push_back(chart_point(place.blocks, point->gflops, point->bytes));
      }
    }
    return all;
  }

  /// Returns the sums of two speeds: that of the cores alone with their best grain, and that of the GPU alone. Cores
  /// and GPU together are compared with these sums.
  [[nodiscard]] ChartSeries sums(const MultigrainRow& row) const {
    ChartSeries line{"cores alone + GPU alone", {}};
    for (const MultigrainPlace& place : places(row)) {
      const MultigrainPoint* cores = results_.fastest_on_cores(place);
      const MultigrainPoint* gpu = results_.point(place, multigrain::kGpuCache);
      if (cores == nullptr || gpu == nullptr) continue;
      const double gflops = cores->gflops.median + gpu->gflops.median;
      line.points.push_back({static_cast<double>(place.blocks), {gflops, gflops, gflops}, std::nullopt});
    }
    return line;
  }

 private:
  [[nodiscard]] std::vector<MultigrainPlace> places(const MultigrainRow& row) const {
    std::vector<MultigrainPlace> found = results_.places();
    std::erase_if(found, [&](const MultigrainPlace& place) {
      return MultigrainRow{place.machine, place.steps} != row;
    });
    return found;
  }

  const MultigrainResults& results_;
  std::set<MultigrainRow> rows_;
};

void add_lines(ScalingChart& chart, const MultigrainLines& all, const MultigrainRow& row, const char* part,
               const std::vector<std::string>& names) {
  add_chart_row(chart, title_of(row.first, row.second) + part, all.lines(row, names));
}

}  // namespace

std::vector<ExperimentFigure> multigrain_figures(const MultigrainResults& results,
                                                 const std::vector<std::string>& policies, const std::string& setting) {
  using namespace multigrain;
  const MultigrainLines all(results);
  std::vector<ExperimentFigure> figures;
  const auto figure = [&](const std::string& name, const std::string& title) -> ScalingChart& {
    figures.push_back({name, title, {fmt::format("{}: {}", title, setting), {}, "blocks on a side", kBlocksPerMark}});
    return figures.back().chart;
  };
  ScalingChart& grains = figure("figure4", "Single blocks, super-blocks and super-blocks in pieces, no cache");
  for (const MultigrainRow& row : all.rows_of_step3()) {
    add_lines(grains, all, row, ": (a) each alone", {kCoresFine, kCoresCoarse, kGpuFine, kGpuCoarse});
    add_lines(grains, all, row, ": (b) both", {kBothFine, kBothCoarse, kBothMulti});
  }
  ScalingChart& cache = figure("figure6", "The cache in the GPU's memory, and affinity");
  for (const MultigrainRow& row : all.rows_of_step3()) {
    add_lines(cache, all, row, ": (a, c) GPU alone", {kGpuCoarse, kGpuCache, kGpuAhead});
    add_lines(cache, all, row, ": (d) both", {kBothMulti, kBothCache, kBothAffinity});
  }
  ScalingChart& machines = figure("figure7", "Cores and GPU, alone and together");
  for (const MultigrainRow& row : all.rows()) {
    std::vector<ChartSeries> lines = all.lines(row, {kCoresMulti, kGpuCache, kBothAffinity});
    lines.push_back(all.sums(row));
    add_chart_row(machines, title_of(row.first, row.second), std::move(lines));
  }
  std::vector<std::string> compared{kBothAffinity};
  for (const std::string& policy : policies) compared.push_back(both_under(policy));
  ScalingChart& others = figure("policies", "Policies on cores and GPU");
  for (const MultigrainRow& row : all.rows()) add_lines(others, all, row, "", compared);
  std::erase_if(figures, [](const ExperimentFigure& one) { return one.chart.rows.empty(); });
  return figures;
}

}  // namespace troupe::apps
