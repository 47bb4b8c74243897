#include "lab/experiments/multigrain/multigrain_figures.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(multigrain_figure_lines)

namespace {

using linalg::BlockSteps;
using Names = std::vector<std::string>;

constexpr const char* kAmd = "amd-gtx470";
constexpr const char* kXeon = "xeon-gtx480";

/// Points that a test sets by hand. No two of them are equal.
struct PointsToDraw {
  MultigrainResults::Points points;
  double next = 1;

  void add(const char* machine, BlockSteps steps, int blocks, const std::string& series) {
    points[{{machine, steps, blocks}, series}] = {median_interval({next, next + 100, next + 300}),
                                                  median_interval({next * 1e9}), 0};
    ++next;
  }
  void add_all(const char* machine, BlockSteps steps) {
    MultigrainOptions options;
    options.policy = "own";
    options.others = {"other"};
    for (const int blocks : {40, 80}) {
      for (const MultigrainSeries& series : multigrain_series(options)) {
        if (series.grain != SparseGrain::fine || blocks == 40) add(machine, steps, blocks, series.name);
      }
    }
  }
  [[nodiscard]] std::vector<ExperimentFigure> figures() const {
    return multigrain_figures(MultigrainResults(points), {"own", "other"}, "third, 0.35");
  }
  [[nodiscard]] ExperimentFigure figure(const std::string& name) const {
    const auto all = figures();
    const auto found = std::ranges::find(all, name, &ExperimentFigure::name);
    BOOST_TEST_REQUIRE((found != all.end()));
    return *found;
  }
};

Names names_of(const std::vector<ExperimentFigure>& figures) {
  Names names;
  for (const ExperimentFigure& figure : figures) names.push_back(figure.name);
  return names;
}

Names titles_of(const ScalingChart& chart) {
  Names titles;
  for (const ChartRow& row : chart.rows) titles.push_back(row.title);
  return titles;
}

Names lines_of(const ChartRow& row) {
  Names names;
  for (const ChartSeries& line : row.series) names.push_back(line.name);
  return names;
}

BOOST_FIXTURE_TEST_CASE(each_figure_has_the_lines_that_the_text_gives_it, PointsToDraw) {
  add_all(kAmd, BlockSteps::products);
  BOOST_TEST(names_of(figures()) == (Names{"figure4", "figure6", "figure7", "policies"}));
  const ScalingChart grains = figure("figure4").chart;
  BOOST_TEST(titles_of(grains) ==
             (Names{"amd-gtx470, step 3 alone: (a) each alone", "amd-gtx470, step 3 alone: (b) both"}));
  BOOST_TEST(lines_of(grains.rows[0]) ==
             (Names{"cores, fine", "cores, coarse", "GPU, fine, no cache", "GPU, coarse, no cache"}));
  BOOST_TEST(lines_of(grains.rows[1]) ==
             (Names{"both, fine, no cache", "both, coarse, no cache", "both, multi, no cache"}));
  const ScalingChart cache = figure("figure6").chart;
  BOOST_TEST(lines_of(cache.rows[0]) ==
             (Names{"GPU, coarse, no cache", "GPU, coarse, cache", "GPU, coarse, cache, copies ahead"}));
  BOOST_TEST(lines_of(cache.rows[1]) ==
             (Names{"both, multi, no cache", "both, multi, cache", "both, multi, cache and affinity"}));
  BOOST_TEST(lines_of(figure("policies").chart.rows[0]) ==
             (Names{"both, multi, cache and affinity", "both, multi, own", "both, multi, other"}));
  for (const ExperimentFigure& one : figures()) {
    BOOST_TEST(one.chart.title == one.title + ": third, 0.35");
    BOOST_TEST(one.chart.axis == "blocks on a side");
  }
}

BOOST_FIXTURE_TEST_CASE(a_line_has_the_medians_over_blocks_on_a_side, PointsToDraw) {
  add_all(kAmd, BlockSteps::products);
  const ChartSeries line = figure("figure6").chart.rows[1].series[1];
  BOOST_TEST_REQUIRE(line.points.size() == 2U);
  for (const ChartPoint& point : line.points) {
    const MultigrainPoint& measured =
        points.at({{kAmd, BlockSteps::products, static_cast<int>(point.x)}, multigrain::kBothCache});
    BOOST_TEST(point.gflops.value == measured.gflops.median);
    BOOST_TEST(point.gflops.low == measured.gflops.low);
    BOOST_TEST(point.gflops.high == measured.gflops.high);
    BOOST_TEST_REQUIRE(point.gigabytes.has_value());
    BOOST_TEST(point.gigabytes->value == measured.bytes.median / 1e9, boost::test_tools::tolerance(1e-12));
  }
  BOOST_TEST(line.points[0].x == 40);
  BOOST_TEST(line.points[1].x == 80);
}

BOOST_FIXTURE_TEST_CASE(the_last_figure_has_step_3_of_all_machines_then_all_steps, PointsToDraw) {
  for (const char* machine : {kAmd, kXeon}) {
    for (const BlockSteps steps : {BlockSteps::all, BlockSteps::products}) add_all(machine, steps);
  }
  const Names both_steps{"amd-gtx470, step 3 alone", "xeon-gtx480, step 3 alone", "amd-gtx470, all steps",
                         "xeon-gtx480, all steps"};
  BOOST_TEST(titles_of(figure("figure7").chart) == both_steps);
  BOOST_TEST(titles_of(figure("policies").chart) == both_steps);
  for (const char* of_step3 : {"figure4", "figure6"}) {
    const Names titles = titles_of(figure(of_step3).chart);
    BOOST_TEST(titles.size() == 4U);
    for (const std::string& title : titles) BOOST_TEST(title.find("step 3") != std::string::npos, title);
  }
}

BOOST_FIXTURE_TEST_CASE(both_together_are_drawn_beside_the_sum_of_each_alone, PointsToDraw) {
  add_all(kAmd, BlockSteps::products);
  const ChartRow row = figure("figure7").chart.rows.front();
  BOOST_TEST(lines_of(row) == (Names{"cores, multi", "GPU, coarse, cache", "both, multi, cache and affinity",
                                     "cores alone + GPU alone"}));
  for (const ChartPoint& point : row.series.back().points) {
    const auto speed = [&](const char* series) {
      return points.at({{kAmd, BlockSteps::products, static_cast<int>(point.x)}, series}).gflops.median;
    };
    // Here the speed rises from series to series, so multi is the fastest series on cores.
    BOOST_TEST(point.gflops.value == speed(multigrain::kCoresMulti) + speed(multigrain::kGpuCache));
    BOOST_TEST(!point.gigabytes.has_value());
  }
  points[{{kAmd, BlockSteps::products, 40}, multigrain::kCoresFine}].gflops.median = 1000;
  const MultigrainPlace small{kAmd, BlockSteps::products, 40};
  BOOST_TEST(figure("figure7").chart.rows.front().series.back().points.front().gflops.value ==
             1000 + points.at({small, multigrain::kGpuCache}).gflops.median);
}

BOOST_FIXTURE_TEST_CASE(what_was_not_measured_is_not_drawn, PointsToDraw) {
  BOOST_TEST(figures().empty());
  add(kXeon, BlockSteps::all, 40, multigrain::kBothAffinity);
  BOOST_TEST(names_of(figures()) == (Names{"figure7", "policies"}));
  BOOST_TEST(lines_of(figure("figure7").chart.rows.front()) == (Names{"both, multi, cache and affinity"}));
  add(kXeon, BlockSteps::products, 40, multigrain::kBothMulti);
  BOOST_TEST(titles_of(figure("figure4").chart) == (Names{"xeon-gtx480, step 3 alone: (b) both"}));
  BOOST_TEST(lines_of(figure("figure4").chart.rows.front()) == (Names{"both, multi, no cache"}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
