// Tests the command `troupe experiment multigrain`.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <utility>

#include "lab/experiments/multigrain/multigrain_claims.hpp"
#include "proto/json/json.hpp"
#include "tests/apps/output_schema.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(command_multigrain_experiment)

namespace {

using tests::contains;
using tests::fails;
using tests::no_gnuplot;
using tests::succeeds;
using tests::Words;

BOOST_AUTO_TEST_CASE(leaves_figures_points_and_verdicts) {
  if (no_gnuplot()) return;
  const tests::TemporaryFolder folder;
  const std::string text = succeeds({"experiment", "multigrain", "--quick", "--blocks", "15,25", "--machine",
                                     "amd-gtx470", "--most-fine", "15", "--out", folder.path("x")});
  for (const char* part :
       {"both, multi, cache and affinity", "GFlop/s", "geometric mean", "aim", "figures are lost", "x/report.md"}) {
    BOOST_TEST(contains(text, part), part);
  }
  const auto json = Json::parse(folder.read("x/report.json"));
  tests::conforms(json, "experiment-multigrain");
  BOOST_TEST_REQUIRE(json["claims"].size() == multigrain_claims().size());
  for (const auto& claim : json["claims"]) BOOST_TEST(claim["verdicts"].size() == 2U);
  BOOST_TEST_REQUIRE(json["variants"].size() == 2U);
  for (const auto& variant : json["variants"]) {
    // With 15 x 15 blocks there are twelve series and one more for each of four policies. With 25 x 25 blocks the
    // option --most-fine leaves out the three series whose tasks use single blocks.
    BOOST_TEST(variant["points"].size() == 16U + 13U);
    BOOST_TEST(variant["policies"].size() == 4U);
    for (const auto& point : variant["points"]) {
      BOOST_TEST(point["gflops"].get<double>() > 0);
      const auto series = point["series"].get<std::string>();
      BOOST_TEST((point["bytes"].get<double>() > 0) == !series.starts_with("cores"));
      // The speed must be below the speed of 23 cores and the GPU together, when each GPU call computes many products.
      BOOST_TEST(point["gflops"].get<double>() < 23 * 10.89 + 0.351 * 1089);
    }
  }
  const std::string csv = folder.read("x/multigrain.csv");
  BOOST_TEST(std::count(csv.begin(), csv.end(), '\n') == 1 + 2 * 29);
  const std::string markdown = folder.read("x/report.md");
  BOOST_TEST(contains(markdown, "amd-gtx470, step 3 alone"));
  for (const auto& [figure, line] : {std::pair{"figure4", "cores, fine"},
                                     {"figure6", "GPU, coarse, cache"},
                                     {"figure7", "cores alone + GPU alone"},
                                     {"policies", "both, multi, homeward"}}) {
    const std::string picture = folder.read(std::string("x/") + figure + ".svg");
    for (const char* part : {"</svg>", "GFlop/s", "blocks on a side", "amd-gtx470, step 3 alone", line}) {
      BOOST_TEST(contains(picture, part), figure << ": " << part);
    }
    BOOST_TEST(contains(markdown, std::string("](") + figure + ".svg)"), figure);
  }
  BOOST_TEST(contains(folder.read("x/claims.csv"), "cache-gain"));
}

BOOST_AUTO_TEST_CASE(refuses_what_it_cannot_run_before_it_makes_a_folder) {
  const tests::TemporaryFolder folder;
  const auto refuses = [&](Words more, const Words& parts) {
    more.insert(more.begin(), {"experiment", "multigrain", "--out", folder.path("y")});
    fails(2, more, parts);
    BOOST_TEST(!std::filesystem::exists(folder.path("y")));
  };
  refuses({"--blocks", "2"}, {"--blocks"});
  refuses({"--machine", "idgraf"}, {"--machine", "amd-gtx470"});
  refuses({"--structure", "bots"}, {"--structure", "third"});
  refuses({"--share", "0"}, {"--share"});
  refuses({"--policy", "none"}, {"none"});
  refuses({"--gpus", "2"}, {"--gpus", "clusters"});
  fails(2, {"experiment", "dada", "--blocks", "40"}, {"--blocks", "multigrain"});
}

BOOST_AUTO_TEST_CASE(refuses_to_begin_without_gnuplot) {
  const tests::TemporaryFolder folder;
  for (const char* experiment : {"multigrain", "clusters"}) {
    fails(2, {"experiment", experiment, "--quick", "--out", folder.path("z")}, {"gnuplot-nox"},
          {"env", "PATH=" + folder.path("")});
    BOOST_TEST(!std::filesystem::exists(folder.path("z")));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
