#include "actors/scheduler/policy.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "platform/topology.hpp"

namespace troupe::scheduler {
namespace {

/// As plain numbers: the rings of one thief.
std::vector<std::vector<std::uint32_t>> rings_of(const Policy& policy, std::size_t thief) {
  std::vector<std::vector<std::uint32_t>> rings;
  for (const auto& ring : policy.stealing.victims.at(thief)) {
    auto& numbers = rings.emplace_back();
    for (const WorkerId victim : ring) numbers.push_back(victim.value());
  }
  return rings;
}
using Rings = std::vector<std::vector<std::uint32_t>>;

Policy made(std::string_view name, const Nearness& nearness) {
  auto policy = make_policy(name, nearness);
  BOOST_TEST_REQUIRE(policy.ok());
  return std::move(policy).value();
}

const Nearness kFourWorkers{{{1}, {2, 3}}, {{0}, {2, 3}}, {{3}, {0, 1}}, {{2}, {0, 1}}};

BOOST_AUTO_TEST_SUITE(policy)

BOOST_AUTO_TEST_CASE(every_known_policy_can_be_made_and_is_local) {
  BOOST_TEST(known_policies().size() == 3U);
  for (const PolicyDescription& description : known_policies()) {
    const Policy policy = made(description.name, kFourWorkers);
    BOOST_TEST(policy.name == description.name);
    BOOST_TEST(!description.summary.empty());
    BOOST_TEST(policy.placing == nullptr);
    BOOST_TEST(policy.stealing.victims.size() == 4U);
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_refused_with_the_known_ones) {
  for (const char* name : {"", "heft", "LWS", "ws "}) {
    const auto policy = make_policy(name, kFourWorkers);
    BOOST_TEST_REQUIRE(!policy.ok());
    BOOST_TEST((policy.failure().code == ErrorCode::invalid_argument));
    BOOST_TEST(policy.failure().message == "unknown policy '" + std::string(name) + "'; known are eager, ws, lws");
  }
}

BOOST_AUTO_TEST_CASE(eager_shares_one_queue_and_steals_nothing) {
  const Policy policy = made("eager", kFourWorkers);
  BOOST_TEST(policy.stealing.shared_queue);
  for (std::size_t thief = 0; thief < 4; ++thief) BOOST_TEST(rings_of(policy, thief).empty());
}

BOOST_AUTO_TEST_CASE(lws_keeps_the_rings) {
  const Policy policy = made("lws", kFourWorkers);
  BOOST_TEST(!policy.stealing.shared_queue);
  BOOST_TEST((rings_of(policy, 0) == Rings{{1}, {2, 3}}));
  BOOST_TEST((rings_of(policy, 3) == Rings{{2}, {0, 1}}));
}

BOOST_AUTO_TEST_CASE(ws_makes_one_ring_of_them) {
  const Policy policy = made("ws", kFourWorkers);
  BOOST_TEST(!policy.stealing.shared_queue);
  BOOST_TEST((rings_of(policy, 0) == Rings{{1, 2, 3}}));
  BOOST_TEST((rings_of(policy, 3) == Rings{{2, 0, 1}}));
}

BOOST_AUTO_TEST_CASE(a_worker_alone_has_no_victims) {
  for (const char* name : {"ws", "lws", "eager"}) {
    const Policy policy = made(name, Nearness(1));
    std::size_t victims = 0;
    for (const auto& ring : rings_of(policy, 0)) victims += ring.size();
    BOOST_TEST(victims == 0U);
  }
}

/// Two sockets, two L3 caches in each, four cores in each of those: workers 0-3, 4-7 | 8-11, 12-15.
BOOST_AUTO_TEST_CASE(on_two_sockets_the_nearest_are_asked_first) {
  platform::TopologyOptions options;
  options.synthetic = "package:2 numa:1 l3:2 core:4 pu:1";
  const auto topology = platform::Topology::discover(options);
  BOOST_TEST_REQUIRE(topology.ok());
  Nearness nearness;
  for (int i = 0; i < 16; ++i) nearness.push_back(topology.value().victim_order(i));
  const Policy near = made("lws", nearness);
  BOOST_TEST((rings_of(near, 5) == Rings{{6, 7, 4}, {0, 1, 2, 3}, {8, 9, 10, 11, 12, 13, 14, 15}}));
  BOOST_TEST((rings_of(near, 8) == Rings{{9, 10, 11}, {12, 13, 14, 15}, {0, 1, 2, 3, 4, 5, 6, 7}}));
  const Policy random = made("ws", nearness);
  for (std::size_t thief = 0; thief < 16; ++thief) {
    const auto rings = rings_of(random, thief);
    BOOST_TEST_REQUIRE(rings.size() == 1U);
    BOOST_TEST(rings[0].size() == 15U);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::scheduler
