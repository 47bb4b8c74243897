#include "platform/virtual/link_sharing.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <vector>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(link_sharing)

namespace {

using Links = std::vector<std::uint32_t>;

struct Demand {
  Links links;
  double limit;
};

std::vector<double> share(const std::vector<double>& capacities, const std::vector<Demand>& demands) {
  LinkSharing sharing(capacities);
  std::vector<SharedFlow> flows;
  for (const Demand& demand : demands) flows.push_back({demand.links, demand.limit});
  const auto rates = sharing.share(flows);
  return {rates.begin(), rates.end()};
}

BOOST_AUTO_TEST_CASE(flows_that_are_alike_get_equal_parts_of_a_link) {
  BOOST_TEST(share({600}, {{{0}, 1000}}) == std::vector<double>({600}), boost::test_tools::per_element());
  BOOST_TEST(share({600}, {{{0}, 1000}, {{0}, 1000}}) == std::vector<double>({300, 300}),
             boost::test_tools::per_element());
  BOOST_TEST(share({600}, {{{0}, 1000}, {{0}, 1000}, {{0}, 1000}}) == std::vector<double>({200, 200, 200}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_a_flow_with_a_low_limit_leaves_goes_to_the_others) {
  BOOST_TEST(share({600}, {{{0}, 100}, {{0}, 1000}, {{0}, 260}}) == std::vector<double>({100, 250, 250}),
             boost::test_tools::per_element());
  BOOST_TEST(share({600}, {{{0}, 100}, {{0}, 1000}, {{0}, 240}}) == std::vector<double>({100, 260, 240}),
             boost::test_tools::per_element());
}

// Three flows on two links. The slower link limits the flow that uses both links. This flow leaves more bandwidth on
// the faster link for the third flow.
BOOST_AUTO_TEST_CASE(a_flow_over_two_links_is_bound_by_the_tighter_one) {
  BOOST_TEST(share({100, 300}, {{{0, 1}, 1000}, {{0}, 1000}, {{1}, 1000}}) == std::vector<double>({50, 50, 250}),
             boost::test_tools::per_element());
}

// Link 0 gives its two flows 30 each. Then link 1 has 100 - 30 for two flows, 35 each. Then link 2 has 200 - 30 - 35.
BOOST_AUTO_TEST_CASE(bottlenecks_settle_one_after_the_other) {
  BOOST_TEST(share({60, 100, 200}, {{{0}, 1000}, {{0, 1, 2}, 1000}, {{1, 2}, 1000}, {{1}, 1000}, {{2}, 1000}}) ==
                 std::vector<double>({30, 30, 35, 35, 135}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_flow_over_no_link_gets_its_limit) {
  BOOST_TEST(share({60}, {{{}, 1000}, {{0}, 1000}}) == std::vector<double>({1000, 60}),
             boost::test_tools::per_element());
  BOOST_TEST(share({60}, {}).empty());
}

BOOST_AUTO_TEST_CASE(an_earlier_sharing_leaves_no_mark_on_the_next) {
  LinkSharing sharing({100, 100});
  const Links both{0, 1};
  const Links second{1};
  const std::vector<SharedFlow> first_flows{{both, 1000}, {both, 1000}, {second, 10}};
  BOOST_TEST(sharing.share(first_flows)[0] == 45.0);
  const std::vector<SharedFlow> next_flows{{second, 1000}};
  BOOST_TEST(sharing.share(next_flows)[0] == 100.0);
}

/// Checks that the rates are max-min fair, with a relative error of at most 1e-9.
void check_fair(const std::vector<double>& capacities, const std::vector<Demand>& demands,
                const std::vector<double>& rates) {
  std::vector<double> load(capacities.size(), 0);
  std::vector<double> highest(capacities.size(), 0);
  for (std::size_t i = 0; i < demands.size(); ++i) {
    for (const auto link : demands[i].links) {
      load[link] += rates[i];
      highest[link] = std::max(highest[link], rates[i]);
    }
  }
  for (std::size_t link = 0; link < capacities.size(); ++link) {
    BOOST_TEST_REQUIRE(load[link] <= capacities[link] * (1 + 1e-9));
  }
  for (std::size_t i = 0; i < demands.size(); ++i) {
    BOOST_TEST_REQUIRE(rates[i] > 0.0);
    BOOST_TEST_REQUIRE(rates[i] <= demands[i].limit);
    const bool bound = std::ranges::any_of(demands[i].links, [&](std::uint32_t link) {
      return load[link] >= capacities[link] * (1 - 1e-9) && highest[link] <= rates[i] * (1 + 1e-9);
    });
    BOOST_TEST_REQUIRE((rates[i] == demands[i].limit || bound));
  }
}

BOOST_AUTO_TEST_CASE(random_networks_are_shared_fairly) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      std::mt19937 random(seed);
      // The numbers are either few different values, so that ties are common, or many values over ten orders of
      // magnitude.
      const bool coarse = random() % 2 == 0;
      const auto figure = [&] {
        return coarse ? 100.0 * (1 + random() % 4) : std::pow(10.0, random() % 1000 / 100.0) * (1 + random() % 97);
      };
      std::vector<double> capacities(1 + random() % 40);
      for (double& capacity : capacities) capacity = figure();
      std::vector<Demand> demands(1 + random() % 30);
      for (Demand& demand : demands) {
        for (auto count = random() % 6; count > 0; --count) {
          const auto link = static_cast<std::uint32_t>(random() % capacities.size());
          if (std::ranges::count(demand.links, link) == 0) demand.links.push_back(link);
        }
        demand.limit = figure();
      }
      check_fair(capacities, demands, share(capacities, demands));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
