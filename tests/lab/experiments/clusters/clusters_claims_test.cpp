#include "lab/experiments/clusters/clusters_claims.hpp"

#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <fstream>
#include <map>
#include <set>
#include <string>

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(claims_on_clusters)

namespace {

/// Invented results of one problem in one configuration.
struct MadeUp {
  double gflops = 0;
  /// The spread: (slowest - fastest) / median.
  double spread = 0.1;
  double bound_gflops = 0;
};

struct World {
  ClustersOptions options;
  ClustersResults::Distributions distributions{{{"10x1", "mct"}, {{}, 28, 0.0472}},
                                               {{"20x1", "mct"}, {{}, 28, 0.0472}},
                                               {{"1x10", "mct"}, {{6}, 22, 0.0375}},
                                               {{"2x10", "mct"}, {{5, 5}, 18, 0.03123}}};
};

/// Returns invented results in which all configurations are equally fast. The speed at 45,000 is nine times that at
/// 5,000, and it grows with the number of GPUs. Bounds exceed speeds by a fifth. `change` changes these results.
template <class Change>
ClustersResults results_of(const World& world, Change change) {
  ClustersResults::Points points;
  ClustersResults::Bounds bounds;
  for (const std::int64_t tile : world.options.tiles) {
    for (const int gpus : world.options.gpus) {
      for (const std::int64_t order : world.options.orders) {
        for (const std::string& configuration : world.options.configurations) {
          const ClustersProblem problem{tile, gpus, order};
          MadeUp made_up;
          made_up.gflops = gpus * static_cast<double>(order) / 40;
          made_up.bound_gflops = 1.2 * made_up.gflops;
          change(problem, configuration, made_up);
          // The number of operations divided by 10^9 operations per second.
          const double one_s = problem.gflops(made_up.gflops);
          points[{problem, configuration, "mct"}].seconds = {one_s * (1 - made_up.spread / 2), one_s,
                                                             one_s * (1 + made_up.spread / 2)};
          bounds[{problem, configuration}] = {
              problem.gflops(made_up.bound_gflops), problem.gflops(made_up.bound_gflops), {}};
        }
      }
    }
  }
  return {std::move(points), std::move(bounds), world.distributions};
}

std::map<std::string, std::string> verdicts(const ClustersResults& results, const std::string& policy = "mct") {
  const std::vector<Judgement> judgements = judge_clusters(results, policy);
  BOOST_REQUIRE(judgements.size() == clusters_claims().size());
  std::map<std::string, std::string> by_name;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    by_name[clusters_claims()[i].name] = to_string(judgements[i].verdict());
    if (judgements[i].checks > 0) BOOST_TEST(!judgements[i].measured.empty());
  }
  return by_name;
}

const auto unchanged = [](const ClustersProblem&, const std::string&, MadeUp&) {};

/// Sets speeds and bounds to values like those in the paper's figures.
void as_in_the_paper(const ClustersProblem& problem, const std::string& configuration, MadeUp& made_up) {
  const bool single = configuration == "20x1";
  const bool constrained = configuration == "2x10c";
  const bool small = problem.order <= 10000;
  const double peak = problem.gpus == 1 ? 1600 : problem.gpus == 2 ? 2600 : problem.gpus == 3 ? 3500 : 4400;
  const double together = peak * (0.4 + 0.6 * static_cast<double>(problem.order) / 45000);
  made_up.gflops = together;
  if (single) made_up.gflops = together / (small ? 1.9 : problem.order <= 25000 ? 1.65 : 1.05 + 0.01 * problem.gpus);
  if (constrained) made_up.gflops = together * (small ? 0.9 : 1.05);
  made_up.spread = single ? 0.1 : 0.02;
  made_up.bound_gflops = 1.2 * together;
  if (single) made_up.bound_gflops -= problem.order >= 40000 ? (problem.tile == 960 ? -60 : -40) : 600;
  if (single && problem.order <= 11000) made_up.bound_gflops = std::min(made_up.bound_gflops, 0.95 * together);
  if (problem.order == 5000) made_up.bound_gflops = single ? 0.95 * together : 0.95 * together + 600;
}

BOOST_AUTO_TEST_CASE(have_different_names_and_say_all_they_need) {
  std::set<std::string> names;
  for (const Claim& claim : clusters_claims()) {
    BOOST_TEST(names.insert(claim.name).second, claim.name);
    BOOST_TEST((!claim.section.empty() && !claim.statement.empty() && !claim.rule.empty()));
  }
  BOOST_TEST(names.size() > 15U);
}

BOOST_AUTO_TEST_CASE(without_differences_do_not_hold) {
  auto found = verdicts(results_of({}, unchanged));
  for (const char* name : {"bound-small", "bound-large", "bound-gap", "always-ahead", "gain-11k", "gain-small",
                           "above-bound", "medium", "variance", "gap-gpus", "constrained-large", "constrained-small"}) {
    BOOST_TEST(found[name] == "does not hold", name << ": " << found[name]);
  }
  BOOST_TEST(found["products-one-cluster"] == "holds");
  BOOST_TEST(found["products-two-clusters"] == "holds");
}

BOOST_AUTO_TEST_CASE(hold_in_the_papers_world) {
  auto found = verdicts(results_of({}, as_in_the_paper));
  for (const Claim& claim : clusters_claims()) {
    const bool testable = claim.name != "memory-bound" && claim.name != "libraries";
    BOOST_TEST(found[claim.name] == (testable ? "holds" : "not tested"), claim.name << ": " << found[claim.name]);
  }
}

/// Returns the verdict on a claim for results like the paper's, to which `change` makes one change.
template <class Change>
std::string verdict_where(const std::string& claim, Change change) {
  return verdicts(
      results_of({}, [&](const ClustersProblem& problem, const std::string& configuration, MadeUp& made_up) {
        as_in_the_paper(problem, configuration, made_up);
        change(problem, configuration, made_up);
      }))[claim];
}

BOOST_AUTO_TEST_CASE(fail_each_where_its_own_numbers_differ) {
  const auto times = [](const char* of, double factor) {
    return [of, factor](const ClustersProblem&, const std::string& configuration, MadeUp& made_up) {
      if (configuration == of) made_up.gflops *= factor;
    };
  };
  BOOST_TEST(verdict_where("gain-11k", times("20x1", 1.3)) == "does not hold");
  BOOST_TEST(verdict_where("gain-small", times("20x1", 1.3)) == "does not hold");
  BOOST_TEST(verdict_where("peaks", times("2x10", 0.8)) == "does not hold");
  BOOST_TEST(verdict_where("above-bound", times("2x10", 0.4)) == "does not hold");
  BOOST_TEST(verdict_where("constrained-large", times("2x10c", 0.97)) == "does not hold");
  BOOST_TEST(verdict_where("constrained-small", times("2x10c", 1.2)) == "does not hold");
  BOOST_TEST(verdict_where("peak", times("2x10c", 1.2)) == "holds in part");
  // The configuration is slower at one of twenty points.
  BOOST_TEST(verdict_where("always-ahead", [](const auto& problem, const auto& configuration, MadeUp& made_up) {
               if (problem == ClustersProblem{1920, 1, 30000} && configuration == "20x1") made_up.gflops *= 2;
             }) == "holds in part");
  BOOST_TEST(verdict_where("bound-small", [](const auto&, const auto& configuration, MadeUp& made_up) {
               if (configuration == "2x10") made_up.bound_gflops += 200;
             }) == "does not hold");
  BOOST_TEST(verdict_where("variance", [](const auto&, const auto&, MadeUp& made_up) { made_up.spread = 0.1; }) ==
             "does not hold");
  BOOST_TEST(verdict_where("gap-gpus", [](const auto& problem, const auto& configuration, MadeUp& made_up) {
               if (configuration == "20x1") made_up.gflops += 500.0 * problem.gpus;
             }) == "does not hold");
}

BOOST_AUTO_TEST_CASE(on_products_go_by_who_gets_them) {
  World world;
  world.distributions[{"1x10", "mct"}] = {{7}, 21, 0.0437};
  world.distributions[{"2x10", "mct"}] = {{8, 8}, 12, 0.05};
  auto found = verdicts(results_of(world, unchanged));
  BOOST_TEST(found["products-one-cluster"] == "holds in part");
  BOOST_TEST(found["products-two-clusters"] == "does not hold");
}

BOOST_AUTO_TEST_CASE(are_not_tested_without_their_points) {
  World world;
  world.options.orders = {8000};
  world.options.gpus = {2};
  world.options.configurations = {"20x1"};
  for (const auto& [name, verdict] : verdicts(results_of(world, unchanged))) {
    if (name.starts_with("products")) continue;
    BOOST_TEST(verdict == "not tested", name << ": " << verdict);
  }
  // Bounds do not depend on the policy, so only claims about bounds are tested for heft, which has no other results
  // here.
  for (const auto& [name, verdict] : verdicts(results_of({}, unchanged), "heft")) {
    if (!name.starts_with("bound")) BOOST_TEST(verdict == "not tested", name << ": " << verdict);
  }
}

BOOST_AUTO_TEST_CASE(a_run_below_its_bound_is_found) {
  const ClustersProblem wrong{960, 2, 20000};
  const auto nearest = results_of({}, [&](const auto& problem, const auto& configuration, MadeUp& made_up) {
                         if (problem == wrong && configuration == "2x10") made_up.bound_gflops = 1.01 * made_up.gflops;
                       }).nearest_to_bound();
  // The fastest of the three runs takes 0.95 times the median.
  BOOST_TEST(nearest.ratio == 0.95 * 1.01, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(nearest.point == "20160/960 2 2x10 mct");
}

BOOST_AUTO_TEST_CASE(runs_are_compared_with_the_bounds_of_their_own_times) {
  ClustersResults::Points points;
  const ClustersProblem problem{960, 1, 5000};
  points[{problem, "2x10", "mct"}].seconds = {1, 2};
  ClustersResults::Bounds bounds{{{problem, "2x10"}, {0.5, 0.5, {0.8, 1.9}}}};
  BOOST_TEST(ClustersResults(points, bounds, {}).nearest_to_bound().ratio == 2 / 1.9);
}

BOOST_AUTO_TEST_CASE(a_policy_is_compared_by_its_best_configuration) {
  ClustersResults::Points points;
  const auto add = [&](std::int64_t order, const char* configuration, const char* policy, double seconds) {
    points[{{960, 1, order}, configuration, policy}].seconds = {seconds};
  };
  add(5000, "20x1", "homeward", 4);
  add(5000, "2x10", "homeward", 1);
  add(5000, "20x1", "mct", 2);
  add(5000, "2x10", "mct", 3);
  add(8000, "2x10", "homeward", 2);
  add(8000, "20x1", "mct", 1);
  const PolicyWithClusters compared = compare_with_clusters(ClustersResults(points, {}, {}), "homeward");
  // The mean of 2 and 1/2 is 1, because it is a geometric mean.
  BOOST_TEST(compared.mean == 1, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(compared.worst == 0.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(compared.worst_point == "7680/960 1");
}

BOOST_AUTO_TEST_CASE(problems_are_in_whole_tiles) {
  BOOST_TEST((ClustersProblem{960, 1, 5000}.n()) == 4800);
  BOOST_TEST((ClustersProblem{1920, 1, 5000}.n()) == 5760);
  BOOST_TEST((ClustersProblem{1920, 1, 100}.n()) == 1920);
}

BOOST_AUTO_TEST_CASE(are_all_in_the_manual_with_their_numbers) {
  std::ifstream file(std::string(TROUPE_SOURCE_DIR) + "/docs/simulation.md");
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| ")) lines.insert(line.substr(2, line.find(" |") - 2));
  }
  for (const Claim& claim : clusters_claims()) BOOST_TEST(lines.contains(claim.statement), claim.statement);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
