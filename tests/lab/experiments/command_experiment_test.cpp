// Tests the commands `troupe experiment dada` and `troupe experiment eviction`.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "lab/experiments/dada_claims.hpp"
#include "proto/json/json.hpp"
#include "tests/apps/output_schema.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/tries.hpp"

namespace troupe::apps {
namespace {

using tests::contains;
using tests::no_gnuplot;
using tests::succeeds;
using tests::Words;

struct ExperimentFixture {
  tests::TemporaryFolder folder;

  static void refuses(const Words& arguments, const Words& parts) { tests::fails(2, arguments, parts); }
};

BOOST_FIXTURE_TEST_SUITE(command_experiment, ExperimentFixture)

BOOST_AUTO_TEST_CASE(writes_figures_tables_and_verdicts) {
  if (no_gnuplot()) return;
  if (tests::kSanitized) return tests::skip("the next one takes the same way, with other numbers");
  const std::string out = folder.path("new/dada");
  const std::string text = succeeds({"experiment", "dada", "--quick", "--out", out});
  BOOST_TEST(contains(text, out + "/report.md"));
  for (const char* figure : {"figure1", "figure2", "figure3", "figure4"}) {
    BOOST_TEST(contains(folder.read(std::string("new/dada/") + figure + ".svg"), "</svg>"));
    const std::string csv = folder.read(std::string("new/dada/") + figure + ".csv");
    BOOST_TEST(csv.starts_with("assumptions,peer_copies,app,policy,gpus,"));
    // The file has a line of titles. Then it has a line for each policy and number of GPUs, with and without copies
    // between GPUs.
    const auto lines = std::count(csv.begin(), csv.end(), '\n');
    BOOST_TEST(lines == 1 + 2 * 8 * (figure == std::string("figure1") ? 10 : 4));
  }
  const auto json = Json::parse(folder.read("new/dada/report.json"));
  tests::conforms(json, "experiment-dada");
  BOOST_TEST(json["virtual"] == true);
  BOOST_TEST(json["claims"].size() == dada_claims().size());
  const std::string markdown = folder.read("new/dada/report.md");
  for (const auto& claim : json["claims"]) {
    BOOST_TEST_REQUIRE(claim["verdicts"].size() == 2U);
    const auto& verdict = claim["verdicts"][0];
    const Judgement judgement{verdict["checks"], verdict["passed"], verdict["measured"].get<std::string>()};
    BOOST_TEST(judgement.checks > 0);
    BOOST_TEST(verdict["verdict"] == to_string(judgement.verdict()));
    BOOST_TEST(!judgement.measured.empty());
    BOOST_TEST(contains(markdown, claim["statement"].get<std::string>()));
  }
  BOOST_TEST(contains(folder.read("new/dada/claims.csv"), "lu-factor"));
}

BOOST_AUTO_TEST_CASE(has_a_verdict_for_each_assumption_and_the_same_ones_again) {
  if (no_gnuplot()) return;
  const auto run = [&](const std::string& jobs) {
    return succeeds({"experiment", "dada", "--quick", "--repeat", "2", "--assumptions", "1,0.67", "--seed", "7",
                     "--jobs", jobs, "--json", "--out", folder.path("x")});
  };
  const std::string once = run("2");
  if (!tests::kSanitized) BOOST_TEST(once == run("1"));
  const auto json = Json::parse(once);
  tests::conforms(json, "experiment-dada");
  BOOST_TEST_REQUIRE(json["variants"].size() == 3U);
  BOOST_TEST(json["variants"][1]["assumptions"] == 0.67);
  BOOST_TEST(json["variants"][1]["peer_copies"] == true);
  BOOST_TEST((json["variants"][0]["points"] != json["variants"][1]["points"]));
  BOOST_TEST(json["variants"][2]["assumptions"] == 1);
  BOOST_TEST(json["variants"][2]["peer_copies"] == false);
  BOOST_TEST((json["variants"][0]["points"] != json["variants"][2]["points"]));
  for (const auto& claim : json["claims"]) BOOST_TEST(claim["verdicts"].size() == 3U);
}

BOOST_AUTO_TEST_CASE(next_use_moves_at_most_a_fifth_more_than_who_knows_the_future) {
  const std::string text = succeeds({"experiment", "eviction", "--quick", "--json"});
  if (!tests::kSanitized) BOOST_TEST(text == succeeds({"experiment", "eviction", "--quick", "--json", "--jobs", "1"}));
  const auto json = Json::parse(text);
  tests::conforms(json, "experiment-eviction");
  BOOST_TEST(json["virtual"] == true);
  BOOST_TEST_REQUIRE(json["problems"].size() == 4U);
  for (const auto& problem : json["problems"]) {
    BOOST_TEST_CONTEXT(problem["app"]) {
      std::map<std::string, Json> figures;
      for (const auto& figure : problem["figures"]) figures[figure["eviction"].get<std::string>()] = figure;
      BOOST_TEST_REQUIRE(figures.size() == 3U);
      BOOST_TEST(figures["next-use"]["ratio"].get<double>() <= 1.2);
      BOOST_TEST(figures["lru"]["ratio"].get<double>() > 1.2);
      BOOST_TEST(figures["next-use"]["evictions"].get<std::uint64_t>() > 100U);
    }
  }
  BOOST_TEST(contains(succeeds({"experiment", "eviction", "--quick"}), "sparse lu"));
}

BOOST_AUTO_TEST_CASE(refuses_what_it_cannot_do) {
  refuses({"experiment", "nothing"}, {"dada"});
  refuses({"experiment", "eviction", "--quick", "--policy", "nonsense"}, {"nonsense"});
  refuses({"experiment"}, {"dada", "eviction", "scaling", "required"});
  refuses({"experiment", "policies", "--quick", "--policy", "nonsense", "--out", folder.path("p")},
          {"unknown policy 'nonsense'"});
  refuses({"experiment", "dada", "--assumptions", "0"}, {"--assumptions"});
  refuses({"experiment", "dada", "--repeat", "1"}, {"--repeat"});
  folder.write("file", "");
  refuses({"experiment", "dada", "--quick", "--out", folder.path("file")}, {"file"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::apps
