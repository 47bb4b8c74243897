// Tests the option `--clusters` on this machine and on described machines.
#include <sched.h>

#include <boost/test/unit_test.hpp>
#include <string>

#include "proto/json/json.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {
namespace {

using tests::contains;
using tests::fails;
using tests::run_program;
using tests::succeeds;
using tests::Words;

/// With this environment, hwloc reports two sockets of ten cores with two caches each. Threads are then not bound.
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
  const auto json = Json::parse(succeeds({"info", "--clusters", "2x4", "--json"}, kTwoSockets));
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
    for (const char* bad : {"2x0", "pudding", "2x99999999999", "x", "automatic"}) {
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

BOOST_AUTO_TEST_CASE(cores_that_openmp_may_have_taken_are_explained) {
  cpu_set_t allowed;
  BOOST_TEST_REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  if (CPU_COUNT(&allowed) < 2) return tests::skip("it takes two processing units");
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  // OpenMP's library reads these variables when the program starts, and binds the program to one core.
  const auto bound = [&](const std::string& variable) {
    return Words{"env", variable, "taskset", "-c", std::to_string(first)};
  };
  const Words run{"run", "cholesky", "--n", "64", "--cores", "2"};
  fails(2, run, {"asked for 2 cores", "unset OMP_PROC_BIND", "taskset"}, bound("OMP_PROC_BIND=close"));
  fails(2, run, {"unset GOMP_CPU_AFFINITY"}, bound("GOMP_CPU_AFFINITY=0"));
  const auto unbound = run_program(run, bound("OMP_PROC_BIND=false"));
  BOOST_TEST(unbound.exit_status == 2);
  BOOST_TEST(!contains(unbound.errors, "unset"), unbound.errors);
}

BOOST_AUTO_TEST_CASE(a_run_with_clusters_is_right_and_counts_cores) {
  const auto json = Json::parse(succeeds(
      {"run", "cholesky", "--n", "300", "--tile", "64", "--clusters", "2x2", "--cores", "5", "--check", "--json"},
      kTwoSockets));
  BOOST_TEST(json["cores"] == 5);
  BOOST_TEST_REQUIRE(json["workers"].size() == 3U);
  BOOST_TEST(json["workers"][0]["cores"] == 2);
  BOOST_TEST(json["workers"][2]["device"] == "cpu core 4");
  BOOST_TEST(json["workers"][1]["members"] == Json({2, 3}));
  BOOST_TEST(!json["workers"][2].contains("team"));
  for (int i = 0; i < 2; ++i) {
    const auto& worker = json["workers"][i];
    if (worker["tasks"] == 0) continue;
    const double share = worker["team"]["used_fraction"];
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
  // The text appears twice: in the results of the run and in the report.
  const std::size_t first = text.find("team used");
  BOOST_TEST_REQUIRE(first != std::string::npos, text);
  BOOST_TEST(text.find("team used", first + 1) != std::string::npos, text);
  const auto trace = Json::parse(folder.read("t.json"));
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
  const auto json = Json::parse(succeeds(simulate({"--clusters", "2x8", "--json"})));
  BOOST_TEST(json["options"]["clusters"] == "2x8");
  const auto& point = json["results"][0];
  BOOST_TEST(point["cores"] == 20);
  BOOST_TEST(point["workers"].size() == 2U + 4U + 4U);
  BOOST_TEST(point["workers"][0]["device"] == "cluster of 8 cores 0-7");
  const auto spanning = run_program(simulate({"--clusters", "1x16", "--policy", "mct"}));
  BOOST_TEST(spanning.exit_status == 0);
  // There are two policies, but the warning is printed only once.
  BOOST_TEST(spanning.errors.starts_with("troupe: warning: the cluster of cores"));
  BOOST_TEST(spanning.errors.find("warning", 20) == std::string::npos);
}

/// A folder with kernel times. A calibration with two cores and tiles of 64 has written them.
class CalibratedFolder {
 public:
  explicit CalibratedFolder(const std::string& clusters) {
    succeeds({"model", "calibrate", "--tile", "64", "--precision", "double", "--cores", "2", "--clusters", clusters,
              "--models", folder_.path()},
             kTwoSockets);
  }
  [[nodiscard]] std::string path() const { return folder_.path(); }
  [[nodiscard]] Words run(const Words& more) const {
    Words words{"run", "cholesky", "--n", "512", "--tile", "64", "--clusters", "auto", "--models", folder_.path()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

 private:
  tests::TemporaryFolder folder_;
};

BOOST_AUTO_TEST_CASE(automatic_clusters_are_the_fastest_of_those_that_were_simulated) {
  const auto json = Json::parse(succeeds(simulate({"--clusters", "auto", "--gpus", "1", "--json"})));
  const auto& point = json["results"][0];
  BOOST_TEST(json["options"]["clusters"] == "auto");
  const auto& tried = point["clusters"]["tried"];
  BOOST_TEST(tried.size() > 20U);
  BOOST_TEST(point["clusters"]["clusters"] == tried[0]["clusters"]);
  // Without noise, the run takes exactly the predicted time.
  BOOST_TEST(point["seconds"] == tried[0]["seconds"]);
  const auto given = Json::parse(succeeds(simulate({"--clusters", "2x10", "--gpus", "1", "--json"})));
  BOOST_TEST(point["seconds"].get<double>() <= given["results"][0]["seconds"].get<double>());
  const std::string text = succeeds(simulate({"--clusters", "auto", "--gpus", "1", "--report"}));
  BOOST_TEST(contains(text, "  clusters: " + tried[0]["clusters"].get<std::string>() + ": "));
  BOOST_TEST(contains(text, "; single cores "));
  BOOST_TEST(contains(text, "  23x1 "));
}

BOOST_AUTO_TEST_CASE(automatic_clusters_are_found_for_each_point) {
  const auto json =
      Json::parse(succeeds({"simulate", "cholesky", "--platform", "sirocco-double", "--n", "1920", "--n", "9600",
                            "--tile", "960", "--gpus", "0,4", "--policy", "heft", "--clusters", "auto", "--json"}));
  BOOST_TEST_REQUIRE(json["results"].size() == 4U);
  // 2 x 2 tiles are not enough work for 24 cores; 10 x 10 tiles are. So the program chooses different clusters.
  BOOST_TEST(json["results"][0]["clusters"]["clusters"] != json["results"][2]["clusters"]["clusters"]);
  BOOST_TEST(json["results"][0]["workers"].size() < json["results"][2]["workers"].size());
  for (const auto& point : json["results"]) {
    BOOST_TEST(point["fraction_of_bound"].get<double>() <= 1);
    BOOST_TEST(point["cores"] == (point["gpus"] == 4 ? 20 : 24));
  }
}

BOOST_AUTO_TEST_CASE(a_machine_without_times_on_clusters_keeps_single_cores) {
  const Words words{"simulate", "cholesky", "--platform", "idgraf-double", "--n",
                    "1920",     "--gpus",   "1",          "--clusters",    "auto"};
  // The reason is printed once, as a warning on standard error, and not again in the results.
  const auto text = run_program(words);
  BOOST_TEST(contains(text.output, "clusters: 11x1: "), text.output);
  BOOST_TEST(!contains(text.output, "has no times"), text.output);
  Words with_json = words;
  with_json.emplace_back("--json");
  const auto ran = run_program(with_json);
  BOOST_TEST(ran.exit_status == 0);
  BOOST_TEST(
      contains(ran.errors, "warning: --clusters auto: single cores, as machine 'idgraf-double' has no times for"));
  BOOST_TEST(contains(ran.errors, "on clusters of cores: add cluster_us to its description\n"));
  BOOST_TEST(Json::parse(ran.output)["results"][0]["clusters"]["clusters"] == "11x1");
}

BOOST_AUTO_TEST_CASE(clusters_may_change_on_the_way) {
  // `100:single` means: single cores after 100 tasks. The run has 220 tasks, so with 1000000 the change never happens.
  for (const char* clusters : {"2x10,100:single", "2x10,1000000:single"}) {
    const auto json = Json::parse(succeeds(simulate({"--clusters", clusters, "--gpus", "1", "--json"})));
    const auto& point = json["results"][0];
    BOOST_TEST(point["fraction_of_bound"].get<double>() > 0.05, clusters);
    BOOST_TEST(point["fraction_of_bound"].get<double>() <= 1, clusters);
  }
  fails(2, simulate({"--clusters", "2x10,single"}), {"tasks that have ended", "2x10,1500:single"});
  fails(2, {"model", "calibrate", "--clusters", "1x2,5:single"}, {"--clusters", "describes no clusters"});
  fails(2, {"info", "--clusters", "1x2,5:single"}, {"--clusters", "describes no clusters"});
}

BOOST_AUTO_TEST_CASE(automatic_clusters_are_refused_where_they_mean_nothing) {
  fails(2, {"serve", "--clusters", "auto", "--policy", "lws"}, {"clusters 'auto'", "'lws' learns none", "heft"});
  fails(2, simulate({"--clusters", "2x10,5:auto"}), {"'auto' stands for all", "such as 2x10"});
  fails(2, {"experiment", "clusters", "--quick", "--clusters", "auto"}, {"--clusters", "not compared here"});
  fails(2, {"experiment", "clusters", "--quick", "--clusters", ""}, {"--clusters"});
  fails(2, simulate({"--report"}), {"--report", "--clusters auto"});
  fails(2, simulate({"--clusters", "auto", "--restrict", "potrf:#5"}), {"'potrf'", "by number"});
}

BOOST_AUTO_TEST_CASE(info_lists_what_automatic_clusters_are_chosen_from) {
  const auto json = Json::parse(succeeds({"info", "--clusters", "auto", "--json"}, kTwoSockets));
  BOOST_TEST(json["automatic_clusters"].size() > 2U);
  BOOST_TEST(contains(succeeds({"info", "--clusters", "auto"}, kTwoSockets), "auto chooses from: "));
}

BOOST_AUTO_TEST_CASE(a_run_finds_clusters_by_the_times_that_are_kept) {
  const CalibratedFolder kept("auto");
  const Words cores{"--cores", "2", "--check", "--json"};
  const auto json = Json::parse(succeeds(kept.run(cores), kTwoSockets));
  // The search tries three choices: single cores, both cores as one cluster, and clusters that change.
  BOOST_TEST(json["clusters"]["tried"].size() == 3U);
  BOOST_TEST(json["clusters"]["tried"][0]["seconds"].get<double>() > 0);
  // The run must use the clusters that it names in its output.
  BOOST_TEST(json["workers"].size() == (json["clusters"]["clusters"] == "1x2" ? 1U : 2U));
  BOOST_TEST(contains(succeeds(kept.run({"--cores", "2"}), kTwoSockets), "  clusters  "));
}

BOOST_AUTO_TEST_CASE(restrictions_by_model_hold_while_clusters_are_found) {
  const CalibratedFolder kept("auto");
  const auto model = Json::parse(succeeds({"info", "--json"}, kTwoSockets))["cpu"].get<std::string>();
  const Words cores{"--cores", "2", "--check", "--json", "--restrict", "gemm:" + model};
  BOOST_TEST(Json::parse(succeeds(kept.run(cores), kTwoSockets))["clusters"]["tried"].size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_run_that_knows_too_little_says_what_to_do_and_finds_them_on_the_way) {
  const auto goes_on = [](const Words& words, const std::string& why,
                          const std::string& how = "cores are grouped while it runs") {
    const auto ran = run_program(words, kTwoSockets);
    BOOST_TEST_CONTEXT(ran.errors) {
      BOOST_TEST(ran.exit_status == 0);
      BOOST_TEST(ran.errors.starts_with("troupe: warning: --clusters auto: " + how + ", as "));
      BOOST_TEST(contains(ran.errors, why));
      const auto json = Json::parse(ran.output);
      BOOST_TEST(!json.contains("clusters"));
      for (const auto& worker : json["workers"]) {
        if (how == "single cores") BOOST_TEST(worker["cores"].get<int>() <= 1);
      }
      BOOST_TEST(json["policy"] == (how == "single cores" ? "lws" : "homeward"));
    }
  };
  const tests::TemporaryFolder empty;
  const Words run{"run", "cholesky", "--n", "256", "--tile", "64", "--cores", "2", "--json", "--clusters", "auto"};
  const auto with = [&](const Words& more) {
    Words words = run;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  goes_on(with({"--models", empty.path()}),
          "the times of potrf, trsm, syrk, gemm in tiles of 64: measure them with `troupe model calibrate --tile 64 "
          "--clusters auto`");
  goes_on(with({"--models", "none"}), "name a folder with --models");
  goes_on(with({"--emulated-gpus", "1"}), "accelerators of this machine");
  const CalibratedFolder singles("2x1");
  goes_on(singles.run({"--cores", "2", "--json"}), "potrf on clusters");
  const CalibratedFolder kept("auto");
  goes_on(kept.run({"--cores", "1", "--json"}), "too few cores", "single cores");
  // The policy `lws` learns no times.
  goes_on(with({"--models", "none", "--policy", "lws"}), "name a folder with --models", "single cores");
  // Several tasks may use the same kernel, but the message must name each kernel once.
  goes_on({"run", "lu", "--n", "800", "--tile", "200", "--cores", "2", "--json", "--clusters", "auto", "--models",
           kept.path()},
          "the times of getrf, swap_solve, gemm in tiles of 200: ");
  // The kept times are for double precision, not for float.
  goes_on(kept.run({"--cores", "2", "--json", "--precision", "float"}), "potrf, trsm, syrk, gemm in tiles of 64");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::apps
