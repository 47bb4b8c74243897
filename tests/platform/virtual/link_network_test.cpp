#include "platform/virtual/link_network.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(link_network)

namespace {

using namespace std::chrono_literals;

using Route = LinkNetwork::Route;
using Link = LinkNetwork::Link;

constexpr double kGiga = 1e9;

/// A network with its own virtual time. Records which copies ended, in their order, with their times.
struct Network {
  VirtualTime time;
  LinkNetwork network;
  std::vector<std::pair<std::string, TimeStamp>> done;

  Network(std::vector<Link> links, std::size_t nodes, std::vector<Route> routes, Duration overhead = {})
      : network(time, std::move(links), nodes, std::move(routes), overhead) {}

  CopyId start(std::string name, std::size_t from, std::size_t to, std::uint64_t bytes, bool waited_for = true) {
    return network.start(from, to, Bytes{bytes}, waited_for,
                         [this, name = std::move(name)] { done.emplace_back(name, time.now()); });
  }
  void start_at(TimeStamp when, std::string name, std::size_t from, std::size_t to, std::uint64_t bytes) {
    time.at(when, [=, this] { start(name, from, to, bytes); });
  }
  void run() {
    while (time.advance()) {
    }
  }
  void expect(const std::vector<std::pair<std::string, TimeStamp>>& expected) {
    BOOST_TEST_REQUIRE(done.size() == expected.size());
    for (std::size_t i = 0; i < done.size(); ++i) {
      BOOST_TEST(done[i].first == expected[i].first);
      BOOST_TEST(done[i].second.count() == expected[i].second.count(), done[i].first << " " << done[i].second.count());
    }
  }
};

/// Returns routes from node 0 to all other nodes. All routes are equal.
std::vector<Route> star(std::size_t nodes, const Route& route) {
  std::vector<Route> routes(nodes * nodes);
  for (std::size_t to = 1; to < nodes; ++to) routes[to] = route;
  return routes;
}

BOOST_AUTO_TEST_CASE(a_copy_alone_takes_latency_overhead_and_bytes_over_its_rate) {
  Network n({{8 * kGiga}}, 2, star(2, {{0}, 4 * kGiga, 1000ns}), 500ns);
  n.start("a", 0, 1, 4000);
  n.run();
  n.expect({{"a", 2500ns}});
}

BOOST_AUTO_TEST_CASE(the_link_bounds_a_copy_too) {
  Network n({{2 * kGiga}}, 2, star(2, {{0}, 4 * kGiga, 0ns}));
  n.start("a", 0, 1, 4000);
  n.run();
  n.expect({{"a", 2000ns}});
}

BOOST_AUTO_TEST_CASE(times_are_rounded_up) {
  Network n({{3 * kGiga}}, 2, star(2, {{0}, 4 * kGiga, 0ns}));
  n.start("a", 0, 1, 10);
  n.run();
  n.expect({{"a", 4ns}});
}

BOOST_AUTO_TEST_CASE(a_copy_of_nothing_takes_its_latency) {
  Network n({{kGiga}}, 2, star(2, {{0}, kGiga, 7ns}));
  n.start("a", 0, 1, 0);
  BOOST_TEST(n.done.empty());
  n.run();
  n.expect({{"a", 7ns}});
}

BOOST_AUTO_TEST_CASE(two_copies_share_a_link_and_the_rest_goes_faster_when_one_ends) {
  Network n({{kGiga}}, 3, star(3, {{0}, kGiga, 0ns}));
  n.start("short", 0, 1, 1000);
  n.start("long", 0, 2, 3000);
  n.run();
  // Until 2000 ns each copy has moved 1000 bytes. After that, one copy moves its other 2000 bytes alone.
  n.expect({{"short", 2000ns}, {"long", 4000ns}});
}

// At this rate, rounding errors leave a tiny part of the 450 bytes after 1350 ns. At that moment another copy begins,
// before the completion is handled. The first copy must still end at 1350 ns.
BOOST_AUTO_TEST_CASE(a_copy_that_is_due_is_not_put_off_by_one_that_begins_at_that_moment) {
  auto routes = star(3, {{0}, kGiga, 0ns});
  routes[2].latency = 1350ns;
  Network n({{kGiga / 3}}, 3, routes);
  n.start("late", 0, 2, 1);
  n.start("due", 0, 1, 450);
  n.run();
  n.expect({{"due", 1350ns}, {"late", 1353ns}});
  BOOST_TEST(n.network.link_statistics(0).highest_load <= 1 + 1e-9);
}

BOOST_AUTO_TEST_CASE(a_copy_whose_rate_stays_keeps_its_time_whatever_happens_on_other_links) {
  auto routes = star(3, {{0}, kGiga, 0ns});
  routes[2].links = {1};
  for (std::uint64_t bytes = 2000; bytes < 2100; ++bytes) {
    Network n({{kGiga}, {kGiga / 3}}, 3, routes);
    for (int i = 0; i < 1000; ++i) n.start("other", 0, 1, 7);
    n.start("long", 0, 2, bytes);
    n.run();
    BOOST_TEST_REQUIRE(n.done.size() == 1001U);
    const auto done = std::ranges::find(n.done, "long", [](const auto& copy) { return copy.first; });
    Network alone({{kGiga}, {kGiga / 3}}, 3, routes);
    alone.start("long", 0, 2, bytes);
    alone.run();
    BOOST_TEST(done->second.count() == alone.done.front().second.count());
  }
}

BOOST_AUTO_TEST_CASE(a_third_copy_that_comes_later_takes_its_part_from_both) {
  Network n({{6 * kGiga}}, 4, star(4, {{0}, 6 * kGiga, 0ns}));
  n.start("a", 0, 1, 6000);
  n.start("b", 0, 2, 6000);
  n.start_at(1000ns, "c", 0, 3, 2000);
  n.run();
  // Each copy moves 3 bytes per ns until 1000 ns, then 2 bytes per ns until c ends at 2000 ns. Then a and b still have
  // 1000 bytes each, which they move at 3 bytes per ns.
  n.expect({{"c", 2000ns}, {"a", 2334ns}, {"b", 2334ns}});
}

BOOST_AUTO_TEST_CASE(a_copy_with_a_low_rate_of_its_own_leaves_the_link_to_the_others) {
  auto routes = star(3, {{0}, 10 * kGiga, 0ns});
  routes[1].bytes_per_s = kGiga;
  Network n({{10 * kGiga}}, 3, routes);
  n.start("slow", 0, 1, 1000);
  n.start("fast", 0, 2, 9000);
  n.run();
  n.expect({{"slow", 1000ns}, {"fast", 1000ns}});
}

// Three GPUs share a switch of 3 GB/s; a fourth GPU has its own switch. The host's link of 9 GB/s would give each GPU
// more.
BOOST_AUTO_TEST_CASE(a_chain_of_bottlenecks_is_shared_level_by_level) {
  auto routes = star(5, {{0}, 5 * kGiga, 0ns});
  routes[1].links = {0, 1};
  routes[2].links = {0, 1};
  routes[3].links = {0, 1};
  routes[4].links = {0, 2};
  Network n({{9 * kGiga}, {3 * kGiga}, {8 * kGiga}}, 5, routes);
  for (std::size_t gpu = 1; gpu < 5; ++gpu) n.start(std::to_string(gpu), 0, gpu, gpu == 4 ? 5000 : 1000);
  n.run();
  n.expect({{"1", 1000ns}, {"2", 1000ns}, {"3", 1000ns}, {"4", 1000ns}});
}

BOOST_AUTO_TEST_CASE(a_latency_uses_no_link) {
  Network n({{kGiga}}, 3, star(3, {{0}, kGiga, 1000ns}));
  n.start("a", 0, 1, 1000);
  n.start_at(1000ns, "b", 0, 2, 1000);
  n.run();
  // Copy a moves its bytes from 1000 to 2000 ns, copy b from 2000 to 3000 ns.
  n.expect({{"a", 2000ns}, {"b", 3000ns}});
}

BOOST_AUTO_TEST_CASE(one_copy_of_a_pair_goes_at_a_time_and_each_has_its_latency) {
  Network n({{kGiga}}, 2, star(2, {{0}, kGiga, 100ns}));
  n.start("a", 0, 1, 1000);
  n.start("b", 0, 1, 500);
  BOOST_TEST(n.network.pair_statistics(0, 1).queued == 1U);
  BOOST_TEST(n.network.pair_statistics(0, 1).queued_bytes.count == 500U);
  n.run();
  n.expect({{"a", 1100ns}, {"b", 1700ns}});
  BOOST_TEST(n.network.pair_statistics(0, 1).queued == 0U);
  BOOST_TEST(n.network.pair_statistics(0, 1).queued_bytes.count == 0U);
}

BOOST_AUTO_TEST_CASE(the_two_directions_of_a_pair_do_not_wait_for_each_other) {
  std::vector<Route> routes(4);
  routes[1] = {{0}, kGiga, 0ns};
  routes[2] = {{1}, kGiga, 0ns};
  Network n({{kGiga}, {kGiga}}, 2, routes);
  n.start("down", 0, 1, 1000);
  n.start("up", 1, 0, 1000);
  n.run();
  n.expect({{"down", 1000ns}, {"up", 1000ns}});
}

BOOST_AUTO_TEST_CASE(copies_that_are_waited_for_go_before_prefetches_in_the_order_of_each) {
  Network n({{kGiga}}, 2, star(2, {{0}, kGiga, 0ns}));
  n.start("first", 0, 1, 10, false);
  n.start("p1", 0, 1, 10, false);
  n.start("w1", 0, 1, 10, true);
  n.start("p2", 0, 1, 10, false);
  n.start("w2", 0, 1, 10, true);
  n.run();
  n.expect({{"first", 10ns}, {"w1", 20ns}, {"w2", 30ns}, {"p1", 40ns}, {"p2", 50ns}});
}

BOOST_AUTO_TEST_CASE(a_prefetch_that_is_made_urgent_goes_behind_those_that_are_waited_for) {
  Network n({{kGiga}}, 2, star(2, {{0}, kGiga, 0ns}));
  const CopyId first = n.start("first", 0, 1, 10, false);
  n.start("p1", 0, 1, 10, false);
  const CopyId second = n.start("p2", 0, 1, 10, false);
  n.start("p3", 0, 1, 10, false);
  const CopyId waited = n.start("w1", 0, 1, 10, true);
  n.start("w2", 0, 1, 10, true);
  n.network.make_urgent(second);
  // These calls change nothing: the first copy is under way, and the others are urgent already.
  n.network.make_urgent(first);
  n.network.make_urgent(second);
  n.network.make_urgent(waited);
  n.network.make_urgent(CopyId{});
  n.run();
  n.expect({{"first", 10ns}, {"w1", 20ns}, {"w2", 30ns}, {"p2", 40ns}, {"p1", 50ns}, {"p3", 60ns}});
  n.network.make_urgent(second);
}

BOOST_AUTO_TEST_CASE(the_id_of_a_copy_that_is_done_says_nothing_about_the_next_in_its_place) {
  Network n({{kGiga}}, 2, star(2, {{0}, kGiga, 0ns}));
  const CopyId old = n.start("old", 0, 1, 10);
  n.run();
  n.start("a", 0, 1, 10);
  n.start("p1", 0, 1, 10, false);
  n.start("p2", 0, 1, 10, false);
  n.network.make_urgent(old);
  n.run();
  n.expect({{"old", 10ns}, {"a", 20ns}, {"p1", 30ns}, {"p2", 40ns}});
}

BOOST_AUTO_TEST_CASE(done_may_ask_for_another_copy) {
  Network n({{kGiga}}, 2, star(2, {{0}, kGiga, 0ns}));
  n.network.start(0, 1, Bytes{10}, true, [&] { n.start("second", 0, 1, 20); });
  n.run();
  n.expect({{"second", 30ns}});
}

BOOST_AUTO_TEST_CASE(statistics_say_what_went_over_each_link_and_pair) {
  Network n({{2 * kGiga}, {4 * kGiga}}, 3, star(3, {{0, 1}, 2 * kGiga, 100ns}));
  n.start("a", 0, 1, 1000);
  n.start("b", 0, 1, 1000);
  n.start("c", 0, 2, 500);
  // From 100 ns on, a and c move 1 byte per ns each. c ends at 600 ns, and a with its remaining bytes at 850 ns. b
  // moves its bytes from 950 to 1450 ns.
  n.run();
  n.expect({{"c", 600ns}, {"a", 850ns}, {"b", 1450ns}});
  n.time.after(550ns, [] {});
  n.run();
  const auto link = n.network.link_statistics(1);
  BOOST_TEST(link.bytes.count == 2500U);
  BOOST_TEST(link.busy.count() == 1250);
  BOOST_TEST(link.highest_load == 0.5);
  BOOST_TEST(n.network.link_statistics(0).highest_load == 1.0);
  const auto pair = n.network.pair_statistics(0, 1);
  BOOST_TEST(pair.bytes.count == 2000U);
  BOOST_TEST(pair.copies == 2U);
  BOOST_TEST(pair.busy.count() == 1450);
  BOOST_TEST(pair.longest_queue == 1U);
}

BOOST_AUTO_TEST_CASE(statistics_count_what_is_on_its_way) {
  Network n({{kGiga}}, 2, star(2, {{0}, kGiga, 100ns}));
  n.start("a", 0, 1, 1000);
  n.time.at(400ns, [&] {
    BOOST_TEST(n.network.link_statistics(0).busy.count() == 300);
    BOOST_TEST(n.network.pair_statistics(0, 1).busy.count() == 400);
    BOOST_TEST_REQUIRE(n.network.flows().size() == 1U);
    BOOST_TEST(n.network.flows()[0].to == 1U);
    BOOST_TEST(n.network.flows()[0].bytes_per_s == kGiga);
  });
  n.run();
  BOOST_TEST(n.network.flows().empty());
}

BOOST_AUTO_TEST_CASE(nodes_without_a_route_are_not_connected) {
  Network n({{kGiga}}, 2, star(2, {{0}, kGiga, 0ns}));
  BOOST_TEST(n.network.connected(0, 1));
  BOOST_TEST(!n.network.connected(1, 0));
  BOOST_TEST(!n.network.connected(0, 0));
}

// A random network with random copies. The test checks the network at every event.
struct RandomRun {
  struct Expected {
    std::size_t from, to;
    std::uint64_t bytes;
    TimeStamp asked;
    bool done = false;
  };

  std::mt19937 random;
  VirtualTime time;
  std::size_t nodes;
  std::vector<Link> links;
  std::vector<Route> routes;
  std::unique_ptr<LinkNetwork> network;
  std::vector<Expected> copies;
  /// The bytes that have moved over each link: the integral of the rates over time.
  std::vector<double> bytes_over_link;

  explicit RandomRun(unsigned seed) : random(seed), nodes(2 + random() % 6), links(1 + random() % 12) {
    for (Link& link : links) link.bytes_per_s = 1e6 * static_cast<double>(1 + random() % 10000);
    routes.resize(nodes * nodes);
    for (Route& route : routes) {
      for (std::uint32_t link = 0; link < links.size(); ++link) {
        if (random() % 3 == 0) route.links.push_back(link);
      }
      route.bytes_per_s = 1e6 * static_cast<double>(1 + random() % 10000);
      route.latency = Duration(random() % 3 == 0 ? 0 : random() % 20000);
    }
    network = std::make_unique<LinkNetwork>(time, links, nodes, routes, Duration(random() % 2 * 100));
    bytes_over_link.resize(links.size());
  }

  void ask(int count) {
    for (int i = 0; i < count; ++i) {
      time.after(Duration(random() % 2000000), [this] {
        const std::size_t from = random() % nodes;
        const std::size_t to = (from + 1 + random() % (nodes - 1)) % nodes;
        const std::size_t number = copies.size();
        copies.push_back({from, to, random() % 10 == 0 ? 0 : random() % 1000000, time.now()});
        const CopyId id =
            network->start(from, to, Bytes{copies.back().bytes}, random() % 2 == 0, [this, number] { done(number); });
        if (random() % 3 == 0) time.after(Duration(random() % 100000), [this, id] { network->make_urgent(id); });
      });
    }
  }

  void done(std::size_t number) {
    Expected& copy = copies[number];
    BOOST_TEST_REQUIRE(!copy.done);
    copy.done = true;
    const Route& route = routes[copy.from * nodes + copy.to];
    const double alone = static_cast<double>(copy.bytes) / route.bytes_per_s;
    BOOST_TEST_REQUIRE(seconds(time.now() - copy.asked - route.latency) >= alone * (1 - 1e-12));
  }

  /// Checks that the current rates are fair, and that no link carries more than its capacity.
  void check_rates(const std::vector<LinkNetwork::Flow>& flows) {
    std::vector<double> load(links.size(), 0);
    std::vector<double> highest(links.size(), 0);
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> of_pair;
    for (const auto& flow : flows) {
      BOOST_TEST_REQUIRE(++of_pair[std::pair(flow.from, flow.to)] == 1);
      for (const auto link : routes[flow.from * nodes + flow.to].links) {
        load[link] += flow.bytes_per_s;
        highest[link] = std::max(highest[link], flow.bytes_per_s);
      }
    }
    for (std::size_t link = 0; link < links.size(); ++link) {
      BOOST_TEST_REQUIRE(load[link] <= links[link].bytes_per_s * (1 + 1e-9));
    }
    for (const auto& flow : flows) {
      const Route& route = routes[flow.from * nodes + flow.to];
      const bool bound = std::ranges::any_of(route.links, [&](std::uint32_t link) {
        return load[link] >= links[link].bytes_per_s * (1 - 1e-9) && highest[link] <= flow.bytes_per_s * (1 + 1e-9);
      });
      BOOST_TEST_REQUIRE((flow.bytes_per_s == route.bytes_per_s || bound));
    }
  }

  void run() {
    std::vector<LinkNetwork::Flow> flows;
    TimeStamp last{};
    while (time.advance()) {
      for (const auto& flow : flows) {
        for (const auto link : routes[flow.from * nodes + flow.to].links) {
          bytes_over_link[link] += flow.bytes_per_s * seconds(time.now() - last);
        }
      }
      last = time.now();
      flows = network->flows();
      check_rates(flows);
    }
  }

  void check_bytes() {
    std::vector<std::uint64_t> expected(links.size(), 0);
    std::vector<std::uint64_t> crossings(links.size(), 0);
    for (const Expected& copy : copies) {
      BOOST_TEST_REQUIRE(copy.done);
      for (const auto link : routes[copy.from * nodes + copy.to].links) {
        expected[link] += copy.bytes;
        ++crossings[link];
      }
    }
    for (std::size_t link = 0; link < links.size(); ++link) {
      const auto statistics = network->link_statistics(link);
      BOOST_TEST_REQUIRE(statistics.bytes.count == expected[link]);
      BOOST_TEST_REQUIRE(statistics.highest_load <= 1 + 1e-9);
      // The rates must have moved these bytes. Times are rounded up, so the rates may have moved more: for each copy,
      // at most what the link moves in 1 ns.
      const double rounding = 1e-9 * links[link].bytes_per_s * static_cast<double>(crossings[link]);
      const double bytes = static_cast<double>(expected[link]);
      BOOST_TEST_REQUIRE(bytes_over_link[link] >= bytes * (1 - 1e-9));
      BOOST_TEST_REQUIRE(bytes_over_link[link] <= bytes * (1 + 1e-9) + rounding);
    }
  }
};

BOOST_AUTO_TEST_CASE(random_copies_are_shared_fairly_at_every_moment_and_lose_no_byte) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      RandomRun run(seed);
      run.ask(200);
      run.run();
      run.check_bytes();
    }
  }
}

BOOST_AUTO_TEST_CASE(equal_copies_give_equal_times) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    RandomRun first(seed);
    RandomRun second(seed);
    first.ask(100);
    second.ask(100);
    while (first.time.advance()) {
      BOOST_TEST_REQUIRE(second.time.advance());
      BOOST_TEST_REQUIRE((first.time.now() == second.time.now()));
    }
    BOOST_TEST(!second.time.advance());
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
