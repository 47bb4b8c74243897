#include "lab/experiments/multigrain/multigrain_claims.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>

#include "lab/experiments/multigrain/multigrain_report.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(multigrain_claim_verdicts)

namespace {

constexpr const char* kFirst = "amd-gtx470";
constexpr const char* kSecond = "xeon-gtx480";
constexpr auto kStep3 = linalg::BlockSteps::products;

/// Points that a test sets by hand.
struct MadeUp {
  MultigrainResults::Points points;

  void add(const char* machine, int blocks, const std::string& series, double gflops, double bytes = 0) {
    points[{{machine, kStep3, blocks}, series}] = {median_interval({gflops}), median_interval({bytes}),
                                                   static_cast<double>(blocks) * blocks * 147456};
  }
  [[nodiscard]] Judgement judge(const std::string& name, const std::string& policy = "own") const {
    const auto judgements = judge_multigrain(MultigrainResults(points), policy);
    const auto& claims = multigrain_claims();
    const auto found = std::ranges::find(claims, name, &Claim::name);
    BOOST_TEST_REQUIRE((found != claims.end()));
    return judgements[static_cast<std::size_t>(found - claims.begin())];
  }
};

BOOST_FIXTURE_TEST_CASE(nothing_measured_is_nothing_tested, MadeUp) {
  for (const Claim& claim : multigrain_claims()) {
    BOOST_TEST((judge(claim.name).verdict() == Verdict::not_tested), claim.name);
  }
}

BOOST_FIXTURE_TEST_CASE(grains_are_compared_size_by_size, MadeUp) {
  for (const auto& [blocks, fine] : {std::pair(40, 300.0), std::pair(80, 220.0), std::pair(160, 190.0)}) {
    add(kFirst, blocks, multigrain::kCoresFine, fine);
    add(kFirst, blocks, multigrain::kCoresCoarse, 200);
  }
  BOOST_TEST(judge("fine-cores").passed == 2);
  BOOST_TEST(judge("fine-cores").checks == 3);
  BOOST_TEST((judge("fine-small").verdict() == Verdict::holds));
  add(kFirst, 160, multigrain::kCoresFine, 400);
  BOOST_TEST((judge("fine-cores").verdict() == Verdict::holds));
  BOOST_TEST((judge("fine-small").verdict() == Verdict::holds_in_part));
  // This claim only uses results of the first machine.
  add(kSecond, 40, multigrain::kCoresFine, 1);
  add(kSecond, 40, multigrain::kCoresCoarse, 200);
  BOOST_TEST((judge("fine-cores").verdict() == Verdict::holds));
}

BOOST_FIXTURE_TEST_CASE(the_gain_of_the_cache_has_a_size_and_a_peak, MadeUp) {
  for (const auto& [blocks, cached] : {std::pair(40, 150.0), std::pair(80, 300.0), std::pair(160, 180.0)}) {
    add(kFirst, blocks, multigrain::kGpuCoarse, 100, 10);
    add(kFirst, blocks, multigrain::kGpuCache, cached, 5);
  }
  BOOST_TEST((judge("cache-gain").verdict() == Verdict::holds));
  BOOST_TEST((judge("cache-peak").verdict() == Verdict::holds));
  BOOST_TEST((judge("cache-bytes").verdict() == Verdict::holds));
  add(kFirst, 160, multigrain::kGpuCache, 500, 11);
  BOOST_TEST((judge("cache-gain").verdict() == Verdict::does_not_hold));
  BOOST_TEST(judge("cache-peak").passed == 1);
  BOOST_TEST(judge("cache-bytes").passed == 2);
}

BOOST_FIXTURE_TEST_CASE(both_are_compared_with_the_sum_of_each_alone, MadeUp) {
  for (const char* machine : {kFirst, kSecond}) {
    for (const int blocks : {80, 120}) {
      add(machine, blocks, multigrain::kCoresCoarse, 150);
      add(machine, blocks, multigrain::kCoresMulti, 200);
      add(machine, blocks, multigrain::kGpuCache, 300);
      add(machine, blocks, multigrain::kBothAffinity, 500);
      add(machine, blocks, multigrain::both_under("own"), 480);
    }
  }
  BOOST_TEST((judge("above-sum").verdict() == Verdict::holds));
  BOOST_TEST(judge("above-sum").checks == 2);
  BOOST_TEST(judge("aim-together").checks == 4);
  BOOST_TEST((judge("aim-together").verdict() == Verdict::holds));
  // The matrix of 80 x 80 blocks takes less than 1 GiB; the matrix of 120 x 120 blocks takes more.
  BOOST_TEST(judge("aim-beyond").checks == 2);
  BOOST_TEST((judge("aim-beyond").verdict() == Verdict::does_not_hold));
  BOOST_TEST((judge("aim-ahead").verdict() == Verdict::not_tested));
  add(kFirst, 80, multigrain::kGpuAhead, 310);
  BOOST_TEST(judge("aim-ahead").checks == 1);
  BOOST_TEST((judge("aim-ahead").verdict() == Verdict::does_not_hold));
  BOOST_TEST((judge("aim-together", "another").verdict() == Verdict::not_tested));
}

BOOST_FIXTURE_TEST_CASE(a_policy_is_compared_by_speed_and_bytes, MadeUp) {
  add(kFirst, 40, multigrain::kBothAffinity, 100, 10);
  add(kFirst, 40, multigrain::both_under("own"), 121, 10);
  add(kFirst, 80, multigrain::kBothAffinity, 100, 10);
  add(kFirst, 80, multigrain::both_under("own"), 100, 2.5);
  const MultigrainComparison compared = compare_with_affinity(MultigrainResults(points), "own");
  BOOST_TEST(compared.mean == 1.1, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(compared.bytes == 0.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(compared.worst == 1.0);
  BOOST_TEST(compared.worst_place == "amd-gtx470 80, step 3");
  BOOST_TEST((judge("aim-policy").verdict() == Verdict::holds));
  add(kFirst, 80, multigrain::both_under("own"), 90, 100);
  BOOST_TEST(judge("aim-policy").passed == 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
