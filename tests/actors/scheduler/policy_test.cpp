#include "actors/scheduler/policy.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform/machine/topology.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(policy)

namespace {

/// Returns the victims of one thief as plain numbers, ring by ring.
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

BOOST_AUTO_TEST_CASE(every_known_policy_can_be_made_and_is_local_or_placing) {
  std::string names;
  for (const PolicyDescription& description : known_policies()) {
    names += std::string(description.name) + " ";
    const Policy policy = made(description.name, kFourWorkers);
    const std::string_view name = description.name == "default" ? default_policy(false) : description.name;
    BOOST_TEST(policy.name == name);
    BOOST_TEST(!description.summary.empty());
    BOOST_TEST(policy.stealing.victims.size() == 4U);
    const bool local = name == "eager" || name == "ws" || name == "lws";
    BOOST_TEST((policy.placing == nullptr) == local, description.name);
  }
  BOOST_TEST(names == "default eager ws lws mct heft heft-rank dada heteroprio multigrain homeward ");
}

BOOST_AUTO_TEST_CASE(the_default_places_tasks_where_there_are_accelerators) {
  BOOST_TEST(made("default", kFourWorkers).name == "lws");
  const auto with_accelerators = make_policy("default", kFourWorkers, true);
  BOOST_TEST_REQUIRE(with_accelerators.ok());
  BOOST_TEST(with_accelerators.value().name == "homeward");
  BOOST_TEST(with_accelerators.value().placing != nullptr);
  // A policy that the user chose is kept.
  BOOST_TEST(make_policy("eager", kFourWorkers, true).value().name == "eager");
  BOOST_TEST(make_policy("default:tolerance=2", kFourWorkers, true).failure().message ==
             "policy 'default' has no option 'tolerance'; it has none");
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_refused_with_the_known_ones) {
  const std::string known =
      "; known are default, eager, ws, lws, mct, heft, heft-rank, dada, heteroprio, multigrain, homeward";
  const std::vector<std::pair<std::string, std::string>> names{{"hefty", "; did you mean heft?"},
                                                               {"LWS", "; did you mean lws?"},
                                                               {"ws ", "; did you mean ws?"},
                                                               {"anything", ""}};
  for (const auto& [name, nearest] : names) {
    const auto policy = make_policy(name, kFourWorkers);
    BOOST_TEST_REQUIRE(!policy.ok());
    BOOST_TEST((policy.failure().code == ErrorCode::invalid_argument));
    BOOST_TEST(policy.failure().message == "unknown policy '" + name + "'" + known + nearest);
  }
  BOOST_TEST(!make_policy("", kFourWorkers).ok());
}

BOOST_AUTO_TEST_CASE(a_placing_policy_steals_nothing_and_keeps_the_name_that_was_written) {
  const Policy policy = made("dada:alpha=0.25,cp", kFourWorkers);
  BOOST_TEST(policy.name == "dada:alpha=0.25,cp");
  BOOST_TEST(!policy.stealing.shared_queue);
  for (std::size_t thief = 0; thief < 4; ++thief) BOOST_TEST(rings_of(policy, thief).empty());
}

BOOST_AUTO_TEST_CASE(every_option_of_every_policy_can_be_given) {
  for (const char* text :
       {"mct:cp", "mct:rounds", "heft:cp,rounds", "heft-rank:rounds,cp", "dada:alpha=0", "dada:alpha=1,cp,rounds",
        "dada:loads=queued", "dada:loads=both", "dada:loads=zero", "dada:loads=stamps", "dada:affinity=written",
        "dada:affinity=used", "dada:affinity=coming", "dada:host=yes", "dada:host=no", "heteroprio:ahead=0"}) {
    BOOST_TEST(made(text, kFourWorkers).placing != nullptr);
  }
  BOOST_TEST(made("dada:rounds", kFourWorkers).placing->policy_traits().in_rounds);
  BOOST_TEST(!made("dada", kFourWorkers).placing->policy_traits().in_rounds);
}

BOOST_AUTO_TEST_CASE(an_option_that_cannot_be_used_is_refused) {
  const auto refusal = [](std::string_view text) {
    const auto policy = make_policy(text, kFourWorkers);
    BOOST_TEST_REQUIRE(!policy.ok());
    return policy.failure().message;
  };
  BOOST_TEST(refusal("dada:alpha=1.1") == "policy 'dada': alpha must be a number from 0 to 1, not '1.1'");
  BOOST_TEST(refusal("dada:loads=full") == "policy 'dada': loads must be queued or both or zero or stamps, not 'full'");
  BOOST_TEST(refusal("dada:affinity=cache") ==
             "policy 'dada': affinity must be written or used or coming, not 'cache'");
  BOOST_TEST(refusal("dada:cp=1") == "policy 'dada': cp is a switch and takes no value; it has '1'");
  BOOST_TEST(refusal("dada:beta=1") ==
             "policy 'dada' has no option 'beta'; known are alpha, cp, loads, affinity, host, rounds");
  BOOST_TEST(refusal("heteroprio:ahead=-1") ==
             "policy 'heteroprio': ahead must be a whole number from 0 to 64, not '-1'");
  BOOST_TEST(refusal("lws:cp") == "policy 'lws' has no option 'cp'; it has none");
  BOOST_TEST(refusal("heft:") == "policy 'heft:': an option without a name; options are written name=value or name");
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

/// Two sockets, each with two L3 caches of four cores. The workers 0-3, 4-7, 8-11 and 12-15 each share a cache.
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

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
