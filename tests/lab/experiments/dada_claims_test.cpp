#include "lab/experiments/dada_claims.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <fstream>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(claims_on_dada)

namespace {

BOOST_AUTO_TEST_CASE(have_different_names_and_say_all_they_need) {
  std::set<std::string> names;
  for (const Claim& claim : dada_claims()) {
    BOOST_TEST(names.insert(claim.name).second, claim.name);
    BOOST_TEST((!claim.section.empty() && !claim.statement.empty() && !claim.rule.empty()));
  }
  BOOST_TEST(names.size() > 20U);
}

using namespace dada_policy;

/// Returns the verdicts on invented results. All policies are equally fast and move equally many bytes, and eight GPUs
/// are ten times as fast as one. So each verdict can be predicted. `change` changes these results.
template <class Change>
std::map<std::string, Judgement> judgements_by_name(Change change) {
  DadaResults::Points points;
  std::vector<std::string> policies{std::string(kHeft), std::string(kStealing)};
  for (const bool prediction : {false, true}) {
    for (const std::string& policy : policies_over_alpha(prediction)) policies.push_back(policy);
  }
  for (const DadaGraph graph : kDadaGraphs) {
    for (const std::string& policy : policies) {
      for (int gpus = 1; gpus <= kDadaGpus; ++gpus) {
        SimulationPoint& point = points[{graph, policy, gpus}];
        point.gflops = {100.0 * (1 + 9 * (gpus - 1) / 7.0), 1};
        point.bytes = {1e9, 1e6};
        change(graph, policy, gpus, point);
        point.seconds = {1e4 / point.gflops.mean, 0};
      }
    }
  }
  const std::vector<Judgement> judgements = judge(DadaResults(std::move(points)));
  BOOST_REQUIRE(judgements.size() == dada_claims().size());
  std::map<std::string, Judgement> by_name;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    BOOST_TEST(judgements[i].checks > 0);
    BOOST_TEST(!judgements[i].measured.empty());
    by_name[dada_claims()[i].name] = judgements[i];
  }
  return by_name;
}

template <class Change>
std::map<std::string, std::string> verdicts(Change change) {
  std::map<std::string, std::string> by_name;
  for (const auto& [name, judgement] : judgements_by_name(change)) by_name[name] = to_string(judgement.verdict());
  return by_name;
}

BOOST_AUTO_TEST_CASE(on_a_world_without_differences_say_that_nobody_is_better) {
  auto found = verdicts([](DadaGraph, const std::string&, int, SimulationPoint&) {});
  for (const char* name :
       {"cholesky-similar", "lu-similar", "incremental-similar", "lu-half-like-heft", "incremental-half-like-heft",
        "qr-duals-similar", "affinity-alone", "speed-up", "cholesky-speed", "lu-speed", "cholesky-thriftiest"}) {
    BOOST_TEST(found[name] == "holds", name << ": " << found[name]);
  }
  for (const char* name :
       {"alpha-zero-stops", "alpha-zero-moves-most", "cholesky-bytes", "lu-bytes", "lu-cp-thriftiest",
        "lu-zero-costliest", "lu-gap-widens", "incremental-gap-widens", "incremental-bytes", "qr-heft-ahead",
        "qr-low-bytes", "cp-saves-further", "stealing", "significantly-less"}) {
    BOOST_TEST(found[name] == "does not hold", name << ": " << found[name]);
  }
  // The times are nearly equal, but the numbers of bytes are not.
  BOOST_TEST(found["lu-factor"] == "does not hold");
}

BOOST_AUTO_TEST_CASE(on_the_papers_world_hold) {
  auto found = verdicts([](DadaGraph graph, const std::string& policy, int gpus, SimulationPoint& point) {
    const bool prediction = policy.ends_with(",cp");
    const bool lu = application_of(graph) == linalg::Application::lu;
    if (policy == kHeft) point.bytes.mean *= lu ? 3.5 : 2;
    if (policy == kAlphaHalfCp && lu) point.gflops.mean /= 1.13;
    if (policy == kAlphaHalf) point.bytes.mean *= 1.5;
    if (policy == kAlphaHalf && lu) point.bytes.mean *= 2.2;
    if (policy == kHeft && graph == DadaGraph::qr) point.gflops.mean *= 1.5;
    if (policy == kStealing) point.bytes.mean *= 6;
    if (policy == kStealing) point.gflops.mean /= 2;
    if (policy.starts_with("dada:alpha=0") && !policy.starts_with("dada:alpha=0.")) point.bytes.mean *= 8;
    if (policy == kAlphaZero && gpus > 2) point.gflops.mean = 230;
    if (!prediction && policy == "dada:alpha=1") point.gflops.mean *= 1.5;
    if (prediction && policy == "dada:alpha=1,cp") point.gflops.mean *= 1.5;
  });
  for (const char* name : {"alpha-scales",
                           "alpha-scales-cp",
                           "alpha-zero-stops",
                           "alpha-zero-moves-most",
                           "cholesky-bytes",
                           "lu-bytes",
                           "lu-cp-thriftiest",
                           "lu-zero-costliest",
                           "lu-half-like-heft",
                           "lu-factor",
                           "lu-gap-widens",
                           "incremental-factor",
                           "incremental-gap-widens",
                           "incremental-bytes",
                           "incremental-cp-thriftiest",
                           "qr-heft-ahead",
                           "qr-low-bytes",
                           "cp-saves-further",
                           "stealing",
                           "cholesky-thriftiest",
                           "cholesky-cp-saves"}) {
    BOOST_TEST(found[name] == "holds", name << ": " << found[name]);
  }
  // With alpha = 0 the policy is much slower than the others.
  BOOST_TEST(found["cholesky-similar"] == "does not hold");
  BOOST_TEST(found["significantly-less"] != "does not hold");
}

BOOST_AUTO_TEST_CASE(on_one_graph_of_lu_say_nothing_of_the_other) {
  auto found = verdicts([](DadaGraph graph, const std::string& policy, int, SimulationPoint& point) {
    if (graph == DadaGraph::lu_incremental && policy == kHeft) point.bytes.mean *= 3.5;
    if (graph == DadaGraph::lu_incremental && policy == kAlphaHalfCp) point.gflops.mean /= 1.13;
  });
  for (const char* name : {"incremental-factor", "incremental-gap-widens", "incremental-bytes"}) {
    BOOST_TEST(found[name] == "holds", name << ": " << found[name]);
  }
  for (const char* name : {"lu-factor", "lu-gap-widens", "lu-bytes"}) {
    BOOST_TEST(found[name] == "does not hold", name << ": " << found[name]);
  }
}

BOOST_AUTO_TEST_CASE(fail_on_numbers_that_are_too_large_as_on_those_that_are_too_small) {
  const auto factor = [](double bytes, double time) {
    auto found = judgements_by_name([&](DadaGraph graph, const std::string& policy, int, SimulationPoint& point) {
      if (graph == DadaGraph::lu && policy == kHeft) point.bytes.mean *= bytes;
      if (graph == DadaGraph::lu && policy == kAlphaHalfCp) point.gflops.mean /= time;
    });
    BOOST_TEST(found["lu-factor"].checks == 2);
    return found["lu-factor"].passed;
  };
  BOOST_TEST(factor(3.5, 1.13) == 2);
  BOOST_TEST(factor(3.2, 1.08) == 2);
  BOOST_TEST(factor(3.1, 1.13) == 1);
  BOOST_TEST(factor(4, 1.13) == 1);
  BOOST_TEST(factor(3.5, 1.2) == 1);
  BOOST_TEST(factor(3.5, 1) == 1);
}

BOOST_AUTO_TEST_CASE(on_alpha_allow_no_step_down) {
  auto found = judgements_by_name([](DadaGraph, const std::string& policy, int, SimulationPoint& point) {
    if (policy == "dada:alpha=0.75") point.gflops.mean *= 0.99;
    if (policy == "dada:alpha=1") point.gflops.mean *= 1.03;
  });
  BOOST_TEST(found["alpha-scales"].checks == 4);
  BOOST_TEST(found["alpha-scales"].passed == 3);
}

BOOST_AUTO_TEST_CASE(on_affinity_alone_count_lu_once) {
  const auto passed = [](std::initializer_list<DadaGraph> slow) {
    auto found = judgements_by_name([&](DadaGraph graph, const std::string& policy, int, SimulationPoint& point) {
      const bool slower = std::ranges::find(slow, graph) != slow.end();
      if (slower && policy == kAlphaHalf) point.gflops.mean *= 0.8;
    });
    BOOST_TEST(found["affinity-alone"].checks == 16);
    return found["affinity-alone"].passed;
  };
  BOOST_TEST(passed({}) == 16);
  BOOST_TEST(passed({DadaGraph::lu}) == 8);
  BOOST_TEST(passed({DadaGraph::lu_incremental}) == 8);
  BOOST_TEST(passed({DadaGraph::lu, DadaGraph::lu_incremental}) == 8);
  BOOST_TEST(passed({DadaGraph::cholesky}) == 8);
}

BOOST_AUTO_TEST_CASE(are_all_in_the_manual_with_their_numbers) {
  std::ifstream file(std::string(TROUPE_SOURCE_DIR) + "/docs/simulation.md");
  std::set<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| ")) lines.insert(line.substr(2, line.find(" |") - 2));
  }
  for (const Claim& claim : dada_claims()) BOOST_TEST(lines.contains(claim.statement), claim.statement);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
