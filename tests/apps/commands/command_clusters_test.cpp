// `--clusters`, as a user gives it, on this machine and on described ones.
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/troupe_program.hpp"

namespace troupe::apps {
namespace {

using tests::contains;
using tests::fails;
using tests::run_program;
using tests::succeeds;
using tests::Words;

/// A machine with two sockets of ten cores, two caches each, for hwloc; its threads are not bound.
const Words kTwoSockets{"env", "HWLOC_SYNTHETIC=package:2 [numa(memory=8GB)] l3:2 core:5 pu:1"};

Words simulate(const Words& more) {
  Words words{"simulate", "cholesky", "--platform", "sirocco-double", "--n",
              "9600",     "--tile",   "960",        "--policy",       "heft"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

BOOST_AUTO_TEST_SUITE(command_clusters)

BOOST_AUTO_TEST_CASE(info_shows_the_workers_that_clusters_would_make) {
  const std::string plain = succeeds({"info"}, kTwoSockets);
  BOOST_TEST(contains(plain, "Workers: 20 of 20 cores\n"));
  BOOST_TEST(contains(plain, "by level: socket (2x10), numa (2x10), l3 (4x5)\n"));
  const std::string text = succeeds({"info", "--clusters", "socket"}, kTwoSockets);
  BOOST_TEST(contains(text, "Workers: 20 of 20 cores\n"));
  BOOST_TEST(contains(text, "worker 1: cluster of 10 cores 10-19, package 1, NUMA node 1; asks for work: {0}\n"));
  const auto json = nlohmann::json::parse(succeeds({"info", "--clusters", "2x4", "--json"}, kTwoSockets));
  BOOST_TEST(json["usable_cores"] == 20);
  BOOST_TEST(json["cluster_levels"]["l3"] == "4x5");
  BOOST_TEST_REQUIRE(json["workers"].size() == 14U);
  BOOST_TEST(json["workers"][0]["cores"] == 4);
  BOOST_TEST(json["workers"][0]["device"] == "cluster of 4 cores 0-3");
  BOOST_TEST(json["workers"][0]["helper_processing_units"].size() == 3U);
}

BOOST_AUTO_TEST_CASE(clusters_that_span_numa_nodes_cost_a_warning) {
  const auto ran = run_program({"info", "--clusters", "1x16"}, kTwoSockets);
  BOOST_TEST(ran.exit_status == 0);
  BOOST_TEST(ran.errors.starts_with("troupe: warning: the cluster of cores 0-15 spans several NUMA nodes"));
}

BOOST_AUTO_TEST_CASE(clusters_that_cannot_be_are_refused_by_all_commands) {
  fails(2, {"info", "--clusters", "3x10"}, {"take 30 cores, but there are 20", "ask for 2x10"}, kTwoSockets);
  fails(2, {"info", "--clusters", "1x2", "--platform", "sirocco"}, {"--clusters", "--platform"});
  for (const Words& command :
       {Words{"run", "cholesky", "--n", "64"}, Words{"solve", "a.mtx"}, Words{"serve"}, Words{"info"}, simulate({})}) {
    for (const char* bad : {"2x0", "pudding", "2x99999999999", "x", "auto"}) {
      Words words = command;
      words.insert(words.end(), {"--clusters", bad});
      fails(2, words, {"clusters"});
    }
  }
  fails(2, {"run", "cholesky", "--n", "64", "--clusters", "4000x16"}, {"take 64000 cores"});
  fails(2, {"run", "cholesky", "--n", "64", "--clusters", "numa"}, {"only one NUMA node"},
        {"env", "HWLOC_SYNTHETIC=core:4 pu:1"});
  fails(2, simulate({"--clusters", "2x12"}), {"take 24 cores, but there are 20 to run tasks: ask for 1x12"});
  fails(2, simulate({"--clusters", "l3"}), {"tells of no L3 caches", "such as 1x20"});
}

BOOST_AUTO_TEST_CASE(a_run_with_clusters_is_right_and_counts_cores) {
  const auto json = nlohmann::json::parse(succeeds(
      {"run", "cholesky", "--n", "300", "--tile", "64", "--clusters", "2x2", "--cores", "5", "--check", "--json"},
      kTwoSockets));
  BOOST_TEST(json["cores"] == 5);
  BOOST_TEST_REQUIRE(json["workers"].size() == 3U);
  BOOST_TEST(json["workers"][0]["cores"] == 2);
  BOOST_TEST(json["workers"][2]["device"] == "cpu core 4");
  BOOST_TEST(json["workers"][1]["members"] == nlohmann::json({2, 3}));
  BOOST_TEST(!json["workers"][2].contains("team"));
  for (int i = 0; i < 2; ++i) {
    const auto& worker = json["workers"][i];
    if (worker["tasks"] == 0) continue;
    const double share = worker["team"]["share"];
    BOOST_TEST(share > 0);
    BOOST_TEST(share <= 1);
    BOOST_TEST(worker["team"]["unseen_seconds"] == 0.0);
  }
}

BOOST_AUTO_TEST_CASE(a_run_with_clusters_shows_what_was_used_of_them) {
  const tests::TemporaryFolder folder;
  const std::string text = succeeds({"run", "cholesky", "--n", "300", "--tile", "64", "--clusters", "1x2", "--cores",
                                     "2", "--report", "--trace", folder.path("t.json")},
                                    kTwoSockets);
  BOOST_TEST(contains(text, "1 worker on 2 cores"), text);
  BOOST_TEST(contains(text, "of their cores' time in tasks used\n"), text);
  // Of the run, and of the report.
  const std::size_t first = text.find("team used");
  BOOST_TEST_REQUIRE(first != std::string::npos, text);
  BOOST_TEST(text.find("team used", first + 1) != std::string::npos, text);
  const auto trace = nlohmann::json::parse(folder.read("t.json"));
  int tasks = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event.value("cat", "") != "task") continue;
    ++tasks;
    BOOST_TEST(event["args"]["cores"] == 2);
    BOOST_TEST(event["args"]["cores used"].get<double>() <= 2);
  }
  BOOST_TEST(tasks > 0);
  BOOST_TEST(!contains(succeeds({"run", "cholesky", "--n", "300", "--cores", "2"}, kTwoSockets), "team used"));
}

BOOST_AUTO_TEST_CASE(simulated_clusters_are_workers_of_their_own) {
  const auto json = nlohmann::json::parse(succeeds(simulate({"--clusters", "2x8", "--json"})));
  BOOST_TEST(json["options"]["clusters"] == "2x8");
  const auto& point = json["results"][0];
  BOOST_TEST(point["cores"] == 20);
  BOOST_TEST(point["workers"].size() == 2U + 4U + 4U);
  BOOST_TEST(point["workers"][0]["device"] == "cluster of 8 cores 0-7");
  const auto spanning = run_program(simulate({"--clusters", "1x16", "--policy", "mct"}));
  BOOST_TEST(spanning.exit_status == 0);
  // Once for two policies.
  BOOST_TEST(spanning.errors.starts_with("troupe: warning: the cluster of cores"));
  BOOST_TEST(spanning.errors.find("warning", 20) == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::apps
