// Tests the command `troupe experiment clusters`.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "lab/experiments/clusters/clusters_claims.hpp"
#include "proto/json/json.hpp"
#include "tests/apps/output_schema.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/tries.hpp"

namespace troupe::apps {
namespace {

using tests::contains;
using tests::fails;
using tests::no_gnuplot;
using tests::succeeds;
using tests::Words;

struct ClustersFixture {
  tests::TemporaryFolder folder;

  /// Returns the command for a small experiment that writes into `folder`/x. `more` may change the options.
  [[nodiscard]] Words clusters(const Words& more) const {
    Words words{"experiment", "clusters", "--repeat", "2", "--out", folder.path("x")};
    for (const auto& [option, value] : {std::pair{"--n", "5000"}, {"--tile", "960"}}) {
      if (std::find(more.begin(), more.end(), option) == more.end()) words.insert(words.end(), {option, value});
    }
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

BOOST_FIXTURE_TEST_SUITE(command_clusters_experiment, ClustersFixture)

BOOST_AUTO_TEST_CASE(leaves_figures_points_and_verdicts) {
  if (no_gnuplot()) return;
  const std::string text = succeeds(clusters({"--gpus", "1,4"}));
  for (const char* part : {"2x10c homeward", "20x1 bound", "GFlop/s", "geometric mean", "x/report.md", "not tested"}) {
    BOOST_TEST(contains(text, part), part);
  }
  for (const char* figure : {"figure4", "figure5", "figure6", "policies"}) {
    BOOST_TEST(contains(folder.read(std::string("x/") + figure + ".svg"), "</svg>"), figure);
  }
  const std::string csv = folder.read("x/clusters.csv");
  // The file has a line of titles, and a line for each combination of four sets of assumptions, two numbers of GPUs,
  // three configurations and four policies.
  BOOST_TEST(std::count(csv.begin(), csv.end(), '\n') == 1 + 4 * 2 * 3 * 4);
  const auto json = Json::parse(folder.read("x/report.json"));
  tests::conforms(json, "experiment-clusters");
  BOOST_TEST_REQUIRE(json["claims"].size() == clusters_claims().size());
  const std::string markdown = folder.read("x/report.md");
  for (const auto& claim : json["claims"]) {
    // There are verdicts for four sets of assumptions with the policy mct, and for three other policies.
    BOOST_TEST(claim["verdicts"].size() == 7U);
    BOOST_TEST(contains(markdown, claim["statement"].get<std::string>()));
    if (claim["name"] == "bound-small") BOOST_TEST(claim["verdicts"][0]["checks"] == 1);
    if (claim["name"] == "memory-bound") BOOST_TEST(claim["verdicts"][0]["verdict"] == "not tested");
  }
  for (const auto& variant : json["variants"]) {
    BOOST_TEST(variant["least_over_bound"].get<double>() >= 1);
    BOOST_TEST(variant["speed_ratio_worst"].get<double>() <= variant["speed_ratio_mean"].get<double>());
    for (const auto& point : variant["points"]) {
      BOOST_TEST(point["run_bounds_seconds"].size() == 2U);
      BOOST_TEST(point["run_seconds"][0] != point["run_seconds"][1]);
    }
  }
  BOOST_TEST((json["variants"][0]["points"] != json["variants"][1]["points"]));
  BOOST_TEST((json["variants"][0]["points"] != json["variants"][3]["points"]));
}

BOOST_AUTO_TEST_CASE(says_the_same_again_however_many_run_at_a_time) {
  if (no_gnuplot()) return;
  const auto run = [&](const char* jobs) {
    return succeeds(
        clusters({"--gpus", "2", "--deviation", "0.1", "--clusters", "2x10,5x4", "--jobs", jobs, "--json"}));
  };
  const std::string once = run("2");
  if (!tests::kSanitized) BOOST_TEST(once == run("1"));
  const auto json = Json::parse(once);
  tests::conforms(json, "experiment-clusters");
  BOOST_TEST_REQUIRE(json["variants"].size() == 2U);
  BOOST_TEST(json["variants"][1]["assumed_links"] == "one each");
  BOOST_TEST(json["configurations"] == (Json{"2x10", "5x4"}));
}

BOOST_AUTO_TEST_CASE(orders_that_round_to_the_same_count_once) {
  if (no_gnuplot()) return;
  // The order 5000 becomes 4800 in tiles of 960 and 5760 in tiles of 1920. The order 5300 becomes 5760 in both.
  const auto json = Json::parse(succeeds(clusters({"--n", "5000,5100,5300", "--tile", "960,1920", "--gpus", "1",
                                                   "--deviation", "0", "--clusters", "2x10", "--json"})));
  std::map<std::pair<int, int>, int> points;
  for (const auto& point : json["variants"][0]["points"]) {
    if (point["policy"] == "mct") ++points[{point["tile"], point["n"]}];
  }
  const std::map<std::pair<int, int>, int> each_once{{{960, 4800}, 1}, {{960, 5760}, 1}, {{1920, 5760}, 1}};
  BOOST_TEST((points == each_once));
}

BOOST_AUTO_TEST_CASE(without_deviation_all_runs_of_a_point_are_alike) {
  if (no_gnuplot()) return;
  const auto json = Json::parse(succeeds(clusters({"--gpus", "1", "--deviation", "0", "--json"})));
  for (const auto& point : json["variants"][0]["points"])
    BOOST_TEST(point["run_seconds"][0] == point["run_seconds"][1]);
  BOOST_TEST(json["variants"][0]["least_over_bound"].get<double>() >= 1);
}

BOOST_AUTO_TEST_CASE(refuses_what_it_cannot_do) {
  fails(2, clusters({"--gpus", "5"}), {"5", "GPUs"});
  fails(2, clusters({"--clusters", "3x10"}), {"take 30 cores", "2x10"});
  BOOST_TEST(!std::filesystem::exists(folder.path("x")));
  fails(2, clusters({"--clusters", "2y10"}), {"2y10"});
  fails(2, clusters({"--tile", "8"}), {"tasks", "larger tiles"});
  fails(2, clusters({"--tile", "0"}), {"--tile"});
  fails(2, clusters({"--n", "much"}), {"--n"});
  fails(2, clusters({"--deviation", "2"}), {"--deviation"});
  fails(2, clusters({"--deviation", "0.1,nan"}), {"--deviation", "'nan' is no number"});
  fails(2, clusters({"--policy", "nonsense"}), {"unknown policy 'nonsense'"});
  fails(2, clusters({"--assumptions", "1"}), {"--assumptions", "no effect", "dada"});
  fails(2, {"experiment", "dada", "--clusters", "2x10"}, {"--clusters", "no effect", "clusters"});
  fails(2, {"experiment", "policies", "--deviation", "0.1"}, {"--deviation", "no effect", "clusters"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::apps
