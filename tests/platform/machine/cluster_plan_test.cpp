#include "platform/machine/cluster_plan.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "platform/machine/topology.hpp"
#include "tests/platform/machine/fake_system.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(cluster_plan)

namespace {

using tests::contains;
using Names = std::vector<std::string>;
using Rings = std::vector<std::vector<int>>;
const auto kPerElement = boost::test_tools::per_element();

const std::string kTwoSockets = "package:2 [numa(memory=8GB)] core:10 pu:1";
const std::string kFourCaches = "package:2 [numa(memory=8GB)] l3:2 core:5 pu:1";

Topology discovered(const TopologyOptions& options) {
  auto topology = Topology::discover(options);
  BOOST_TEST_REQUIRE(topology.ok());
  return std::move(topology).value();
}

ClusterPlan planned(const std::string& wanted, const Topology& topology) {
  auto plan = plan_clusters(wanted, topology.cores, topology.machine);
  BOOST_TEST_CONTEXT("failure: " << (plan.ok() ? "none" : plan.failure().message)) BOOST_TEST_REQUIRE(plan.ok());
  return std::move(plan).value();
}

/// Returns the PUs (hardware threads) of each cluster. Single cores are left out.
std::vector<std::vector<int>> clusters(const ClusterPlan& plan) {
  std::vector<std::vector<int>> all;
  for (const Core& core : plan.cores) {
    if (core.size() > 1) all.push_back(core.all_pus());
  }
  return all;
}

std::vector<int> range(int from, int to) {
  std::vector<int> all;
  for (int i = from; i <= to; ++i) all.push_back(i);
  return all;
}

/// Returns the message with which the planning fails.
std::string refusal(const std::string& wanted, const Topology& topology) {
  const auto plan = plan_clusters(wanted, topology.cores, topology.machine);
  BOOST_TEST_REQUIRE(!plan.ok(), wanted);
  BOOST_TEST((plan.failure().code == ErrorCode::invalid_argument));
  BOOST_TEST(plan.failure().message.find('\n') == std::string::npos);
  return plan.failure().message;
}

BOOST_AUTO_TEST_CASE(clusters_as_large_as_sockets_take_one_each) {
  const auto plan = planned("2x10", discovered({.synthetic = kTwoSockets}));
  BOOST_TEST((clusters(plan) == Rings{range(0, 9), range(10, 19)}));
  BOOST_TEST(plan.cores.size() == 2U);
  BOOST_TEST(plan.warnings.empty());
  BOOST_TEST(worker_name(plan.cores[1]) == "cluster of 10 cores 10-19");
}

BOOST_AUTO_TEST_CASE(clusters_keep_to_a_socket_each_and_leave_the_other_cores_single) {
  const auto plan = planned("2x6", discovered({.synthetic = kTwoSockets}));
  BOOST_TEST((clusters(plan) == Rings{range(0, 5), range(10, 15)}));
  BOOST_TEST(plan.warnings.empty());
  Names names;
  for (const Core& core : plan.cores) names.push_back(worker_name(core));
  BOOST_TEST(names == (Names{"cluster of 6 cores 0-5", "cpu core 6", "cpu core 7", "cpu core 8", "cpu core 9",
                             "cluster of 6 cores 10-15", "cpu core 16", "cpu core 17", "cpu core 18", "cpu core 19"}),
             kPerElement);
}

BOOST_AUTO_TEST_CASE(sizes_are_mixed_and_the_larger_ones_choose_first) {
  const Topology topology = discovered({.synthetic = kFourCaches});
  BOOST_TEST((clusters(planned("1x16+4x1", topology)) == Rings{range(0, 15)}));
  // The cluster of five takes a whole cache, and the cluster of four goes to another cache. Both must leave a whole
  // socket for the cluster of ten.
  BOOST_TEST((clusters(planned("1x4+1x5+1x10", topology)) == Rings{range(0, 9), range(10, 14), range(15, 18)}));
  // The cluster of two gets the two cores of the cache that the cluster of three leaves free.
  BOOST_TEST((clusters(planned("1x3+1x2", topology)) == Rings{{0, 1, 2}, {3, 4}}));
  BOOST_TEST(planned("20x1", topology).cores.size() == 20U);
  BOOST_TEST(clusters(planned("20x1", topology)).empty());
}

BOOST_AUTO_TEST_CASE(a_cluster_larger_than_a_cache_takes_whole_caches_where_they_are_free) {
  const Topology topology = discovered({.restrict_to = "0-2,8-12", .synthetic = "package:1 l3:2 core:8 pu:1"});
  // The cluster gets all five cores of the second cache and one of the first cache, not three of each.
  BOOST_TEST((clusters(planned("1x6", topology)) == Rings{{0, 8, 9, 10, 11, 12}}));
}

BOOST_AUTO_TEST_CASE(a_warning_tells_of_clusters_that_span_numa_nodes_or_caches) {
  const Topology topology = discovered({.synthetic = kFourCaches});
  const Names both = planned("1x16", topology).warnings;
  BOOST_TEST_REQUIRE(both.size() == 1U);
  BOOST_TEST(
      both[0] ==
      "the cluster of cores 0-15 spans several NUMA nodes, which makes their data slower to reach: clusters of at "
      "most 10 cores fit into one");
  const Names caches = planned("2x6", topology).warnings;
  BOOST_TEST_REQUIRE(caches.size() == 1U);
  BOOST_TEST(contains(caches[0], "clusters of cores 0-5 and 10-15 each span several L3 caches"));
  BOOST_TEST(contains(caches[0], "at most 5 cores"));
  // Two of the three clusters fit into a socket each, but none fits into a cache.
  const Names crowded = planned("3x6", topology).warnings;
  BOOST_TEST_REQUIRE(crowded.size() == 2U);
  BOOST_TEST(contains(crowded[0], "of cores 6-9,16-17 spans several NUMA nodes"));
  BOOST_TEST(contains(crowded[0], "fewer clusters would leave room in one NUMA node"));
  BOOST_TEST(contains(crowded[1], "cores 0-5 and 10-15"));
  for (const char* good : {"4x5", "l3", "socket", "numa", "2x4+2x5", "8x2"})
    BOOST_TEST(planned(good, topology).warnings.empty(), good);
}

BOOST_AUTO_TEST_CASE(a_socket_with_several_numa_nodes_is_a_cluster_with_a_warning) {
  const Topology topology = discovered({.synthetic = "package:2 group:2 [numa(memory=8GB)] core:2 pu:1"});
  BOOST_TEST(planned("numa", topology).warnings.empty());
  const ClusterPlan plan = planned("socket", topology);
  BOOST_TEST((clusters(plan) == Rings{range(0, 3), range(4, 7)}));
  BOOST_TEST_REQUIRE(plan.warnings.size() == 1U);
  BOOST_TEST(contains(plan.warnings[0], "cores 0-3 and 4-7 each span several NUMA nodes"));
}

BOOST_AUTO_TEST_CASE(a_level_makes_a_cluster_of_each_domain_that_has_cores) {
  Topology topology = discovered({.synthetic = kFourCaches});
  BOOST_TEST((clusters(planned("socket", topology)) == Rings{range(0, 9), range(10, 19)}));
  BOOST_TEST((clusters(planned("numa", topology)) == Rings{range(0, 9), range(10, 19)}));
  BOOST_TEST((clusters(planned("l3", topology)) == Rings{range(0, 4), range(5, 9), range(10, 14), range(15, 19)}));
  Names levels;
  for (const ClusterLevel& level : cluster_levels(topology.cores, topology.machine)) {
    levels.push_back(level.name + ' ' + level.clusters);
  }
  BOOST_TEST(levels == (Names{"socket 2x10", "numa 2x10", "l3 4x5"}), kPerElement);
  // Only cores that the process may use count. A cache with only one such core gives no cluster.
  topology = discovered({.restrict_to = "3,5-7,18-19", .synthetic = kFourCaches});
  const ClusterPlan plan = planned("l3", topology);
  BOOST_TEST((clusters(plan) == Rings{{5, 6, 7}, {18, 19}}));
  BOOST_TEST(plan.cores.front().pu == 3);
}

BOOST_AUTO_TEST_CASE(limits_of_the_process_bound_the_clusters) {
  tests::FakeSystem system;
  system.use_v2("/job");
  system.group_file("/job", "cpu.max", "600000 100000");
  const Topology topology = discovered({.synthetic = kFourCaches, .system_root = system.root()});
  BOOST_TEST((clusters(planned("socket", topology)) == Rings{range(0, 5)}));
  BOOST_TEST(contains(refusal("2x4", topology), "take 8 cores, but there are 6 to run tasks: ask for 1x4"));
}

BOOST_AUTO_TEST_CASE(hyperthreads_that_are_cores_of_their_own_come_with_their_siblings) {
  const Topology topology = discovered({.use_hyperthreads = true, .synthetic = "package:1 core:4 pu:2"});
  BOOST_TEST((clusters(planned("2x2", topology)) == Rings{{0, 1}, {2, 3}}));
  BOOST_TEST((clusters(planned("1x5", topology)) == Rings{range(0, 4)}));
}

BOOST_AUTO_TEST_CASE(cores_that_are_handed_out_again_form_clusters_like_those_of_another_machine) {
  const Topology topology = discovered({.cores = 6, .oversubscribe = true, .synthetic = "core:2 pu:1"});
  BOOST_TEST((clusters(planned("2x2", topology)) == Rings{{0, 1}, {0, 1}}));
  BOOST_TEST(planned("2x2", topology).cores.size() == 4U);
  BOOST_TEST((clusters(planned("1x3", topology)) == Rings{{0, 1, 0}}));
}

BOOST_AUTO_TEST_CASE(a_cluster_is_in_those_domains_that_hold_all_of_it) {
  Topology topology = discovered({.synthetic = kFourCaches});
  BOOST_TEST_REQUIRE(topology.form_clusters("1x5+1x4+1x7").ok());
  // The workers are the clusters of cores 0-6 (which spans caches), 10-14 and 15-18, and the single cores 7, 8, 9 and
  // 19.
  BOOST_TEST((topology.victim_order(0) == Rings{{1, 2, 3}, {4, 5, 6}}));
  BOOST_TEST((topology.victim_order(5) == Rings{{6}, {4}, {0, 1, 2, 3}}));
  BOOST_TEST((topology.cores_by_numa_node() == Rings{{0, 1, 2, 3}, {4, 5, 6}}));
  BOOST_TEST(topology.warnings.size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_had_is_refused_with_a_remedy) {
  const Topology topology = discovered({.synthetic = kTwoSockets});
  BOOST_TEST(refusal("3x10", topology) == "clusters '3x10' take 30 cores, but there are 20 to run tasks: ask for 2x10");
  BOOST_TEST(contains(refusal("1x30", topology), "ask for 1x20"));
  BOOST_TEST(contains(refusal("1x16+5x1", topology), "ask for 1x16+4x1"));
  BOOST_TEST(contains(refusal("65536x65536", topology), "4294967296 cores"));
  BOOST_TEST(contains(refusal("l3", topology), "tells of no L3 caches"));
  const Topology plain = discovered({.synthetic = "core:4 pu:1"});
  BOOST_TEST(contains(refusal("numa", plain), "tells of only one NUMA node"));
  BOOST_TEST(
      contains(refusal("socket", plain), "tells of no sockets: give their number and cores instead, such as 1x4"));
  BOOST_TEST(cluster_levels(plain.cores, plain.machine).empty());
  Topology none = topology;
  none.cores.clear();
  BOOST_TEST(contains(refusal("socket", none), "no core is left"));
  BOOST_TEST(contains(refusal("1x2", none), "use fewer accelerators"));
}

BOOST_AUTO_TEST_CASE(what_is_no_specification_is_refused_with_a_remedy) {
  const auto message = [](const std::string& text) {
    const auto parsed = parse_clusters(text);
    BOOST_TEST_REQUIRE(!parsed.ok(), text);
    BOOST_TEST((parsed.failure().code == ErrorCode::invalid_argument));
    return parsed.failure().message;
  };
  BOOST_TEST(contains(message("2x0"), "there must be at least one cluster, and one core in each"));
  BOOST_TEST(contains(message("0x2"), "at least one cluster"));
  BOOST_TEST(contains(message("pudding"), "is no level of clusters"));
  BOOST_TEST(contains(message("pudding"), "(socket, numa, l3)"));
  for (const char* bad : {"", "2", "x", "2x", "x2", "2x2x2", "2y2", "+", "2x2+", "+2x2", "-1x2", "2x-1", " 2x2", "2x2 ",
                          "2x2+socket", "1.5x2", "2X2", "Socket", "\n"}) {
    BOOST_TEST(contains(message(bad), "such as 2x10 or 1x16+4x1"), bad);
  }
  for (const char* large : {"65537x1", "1x65537", "99999999999999999999x2", "2x99999999999999999999999999999999"}) {
    BOOST_TEST(contains(message(large), "give a smaller number"), large);
  }
  BOOST_TEST(parse_clusters("1x16+4x1").value().groups.size() == 2U);
}

BOOST_AUTO_TEST_CASE(any_split_gives_each_core_to_one_worker) {
  for (const char* machine : {"package:2 [numa] l3:2 core:5 pu:1", "package:3 l2:3 core:3 pu:2", "core:17 pu:1"}) {
    const Topology topology = discovered({.synthetic = machine});
    const auto count = static_cast<int>(topology.cores.size());
    for (int size = 1; size <= count; ++size) {
      for (int number = 1; number * size <= count; ++number) {
        const std::string text = std::to_string(number) + "x" + std::to_string(size);
        const ClusterPlan plan = planned(text, topology);
        CpuSet used;
        int large = 0;
        for (const Core& core : plan.cores) {
          const auto pus = core.all_pus();
          used.insert(used.end(), pus.begin(), pus.end());
          if (size > 1 && core.size() == size) ++large;
        }
        std::sort(used.begin(), used.end());
        CpuSet all;
        for (const Core& core : topology.cores) all.push_back(core.pu);
        BOOST_TEST(used == all, kPerElement);
        BOOST_TEST(large == (size > 1 ? number : 0), text);
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
