#include "platform/machine/topology.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/platform/machine/fake_system.hpp"
#include "tests/support/environment_variable.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(topology)

namespace {

using tests::contains;
using tests::EnvironmentVariable;
using Rings = std::vector<std::vector<int>>;
const auto kPerElement = boost::test_tools::per_element();

const std::string kTwoSockets = "package:2 [numa(memory=8GB)] l3:2(size=33554432) l2:4(size=1048576) core:1 pu:2";
const std::string kSixteenCores = "package:1 l3:4 core:4 pu:1";

Topology discovered(const TopologyOptions& options) {
  auto topology = Topology::discover(options);
  BOOST_TEST_CONTEXT("failure: " << (topology.ok() ? "none" : topology.failure().message)) {
    BOOST_TEST_REQUIRE(topology.ok());
  }
  return std::move(topology).value();
}

std::vector<int> pus_of(const Topology& topology) {
  std::vector<int> pus;
  for (const Core& core : topology.cores) pus.push_back(core.pu);
  return pus;
}

/// Returns the message of the discovery, which must fail with this code.
std::string message_of(const TopologyOptions& options, ErrorCode code) {
  const auto topology = Topology::discover(options);
  BOOST_TEST_REQUIRE(!topology.ok());
  BOOST_TEST((topology.failure().code == code));
  return topology.failure().message;
}

BOOST_AUTO_TEST_CASE(cores_are_grouped_by_the_numa_nodes_that_have_any) {
  TopologyOptions options;
  options.synthetic = "package:4 [numa(memory=8GB)] core:2 pu:1";
  BOOST_TEST((discovered(options).cores_by_numa_node() == Rings{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  options.restrict_to = "1,4-5";
  BOOST_TEST((discovered(options).cores_by_numa_node() == Rings{{0}, {1, 2}}));
}

BOOST_AUTO_TEST_CASE(this_machine_has_cores_that_can_be_bound_to) {
  const auto topology = discovered({});
  BOOST_TEST(!topology.cores.empty());
  BOOST_TEST(topology.allowed_cores == static_cast<int>(topology.cores.size()));
  BOOST_TEST((topology.bindable || topology.cpu_quota.has_value()));
  BOOST_TEST(topology.memory.total.count > 0U);
  for (const Core& core : topology.cores) BOOST_TEST(platform::contains(topology.allowed_pus, core.pu));
}

BOOST_AUTO_TEST_CASE(two_sockets_are_described_whole) {
  const auto topology = discovered({.synthetic = kTwoSockets});
  const Machine& machine = topology.machine;
  BOOST_TEST(machine.packages == 2);
  BOOST_TEST(machine.cores == 16);
  BOOST_TEST(machine.pus.size() == 32U);
  BOOST_TEST_REQUIRE(machine.numa_nodes.size() == 2U);
  BOOST_TEST(machine.numa_nodes[1].os_index == 1);
  BOOST_TEST(machine.numa_nodes[1].memory.count == 8'000'000'000U);
  BOOST_TEST_REQUIRE(machine.caches.size() == 2U);
  BOOST_TEST(machine.caches[0].level == 2);
  BOOST_TEST(machine.caches[0].size.count == 1048576U);
  BOOST_TEST(machine.caches[0].count == 16);
  BOOST_TEST(machine.caches[1].level == 3);
  BOOST_TEST(machine.caches[1].count == 4);
  BOOST_TEST(machine.caches[1].pus_each == 8);
}

BOOST_AUTO_TEST_CASE(every_core_knows_its_place) {
  const auto topology = discovered({.synthetic = kTwoSockets});
  BOOST_TEST_REQUIRE(topology.cores.size() == 16U);
  const Core& core = topology.cores[13];
  BOOST_TEST(core.pu == 26);
  BOOST_TEST(core.core == 13);
  BOOST_TEST(core.package == 1);
  BOOST_TEST(core.numa_node == 1);
  const std::vector<Domain> place{{DomainKind::core, 13},     {DomainKind::l2, 13},     {DomainKind::l3, 3},
                                  {DomainKind::numa_node, 1}, {DomainKind::package, 1}, {DomainKind::machine, 0}};
  BOOST_TEST((core.domains == place));
}

BOOST_AUTO_TEST_CASE(a_core_has_one_worker_unless_hyperthreads_are_wanted) {
  BOOST_TEST(pus_of(discovered({.synthetic = "core:4 pu:2"})) == (std::vector<int>{0, 2, 4, 6}), kPerElement);
  BOOST_TEST(discovered({.use_hyperthreads = true, .synthetic = "core:4 pu:2"}).cores.size() == 8U);
}

BOOST_AUTO_TEST_CASE(victims_are_nearest_first_across_two_sockets) {
  const auto topology = discovered({.synthetic = "package:2 [numa] l3:2 core:2 pu:1"});
  BOOST_TEST((topology.victim_order(0) == Rings{{1}, {2, 3}, {4, 5, 6, 7}}));
  BOOST_TEST((topology.victim_order(6) == Rings{{7}, {4, 5}, {0, 1, 2, 3}}));
}

BOOST_AUTO_TEST_CASE(victims_share_a_cache_of_four_before_all_else) {
  const auto topology = discovered({.synthetic = kSixteenCores});
  const auto rings = topology.victim_order(5);
  BOOST_TEST_REQUIRE(rings.size() == 2U);
  BOOST_TEST(rings[0] == (std::vector<int>{6, 7, 4}), kPerElement);
  BOOST_TEST(rings[1].size() == 12U);
}

BOOST_AUTO_TEST_CASE(hyperthreads_of_the_same_core_are_the_nearest_victims) {
  const auto topology = discovered({.use_hyperthreads = true, .synthetic = "package:2 core:2 pu:2"});
  BOOST_TEST((topology.victim_order(1) == Rings{{0}, {2, 3}, {4, 5, 6, 7}}));
}

BOOST_AUTO_TEST_CASE(a_smaller_numa_node_is_nearer_than_the_package) {
  const auto topology = discovered({.synthetic = "package:1 group:2 [numa] core:2 pu:1"});
  BOOST_TEST((topology.victim_order(0) == Rings{{1}, {2, 3}}));
  BOOST_TEST(topology.cores[2].numa_node == 1);
}

BOOST_AUTO_TEST_CASE(victims_of_a_restricted_set_are_indices_into_what_is_left) {
  const auto topology = discovered({.restrict_to = "1,4-5,7", .synthetic = "package:2 l3:2 core:2 pu:1"});
  BOOST_TEST(pus_of(topology) == (std::vector<int>{1, 4, 5, 7}), kPerElement);
  BOOST_TEST((topology.victim_order(0) == Rings{{1, 2, 3}}));
  BOOST_TEST((topology.victim_order(1) == Rings{{2}, {3}, {0}}));
}

BOOST_AUTO_TEST_CASE(of_a_core_with_a_forbidden_hyperthread_the_other_is_used) {
  BOOST_TEST(pus_of(discovered({.restrict_to = "1,2-3,99", .synthetic = "core:2 pu:2"})) == (std::vector<int>{1, 2}),
             kPerElement);
}

BOOST_AUTO_TEST_CASE(a_restriction_that_leaves_nothing_is_refused) {
  const auto message = message_of({.restrict_to = "8-9", .synthetic = "core:4 1"}, ErrorCode::platform);
  BOOST_TEST(contains(message, "8-9"));
  BOOST_TEST(contains(message, "0-3"));
}

BOOST_AUTO_TEST_CASE(a_restriction_that_is_no_list_is_refused) {
  BOOST_TEST(contains(message_of({.restrict_to = "all", .synthetic = "core:4 1"}, ErrorCode::invalid_argument), "all"));
}

BOOST_AUTO_TEST_CASE(fewer_cores_are_chosen_next_to_one_another) {
  BOOST_TEST(pus_of(discovered({.cores = 3, .synthetic = kSixteenCores})) == (std::vector<int>{0, 1, 2}), kPerElement);
  BOOST_TEST(pus_of(discovered({.cores = 4, .restrict_to = "3,8-15", .synthetic = kSixteenCores})) ==
                 (std::vector<int>{8, 9, 10, 11}),
             kPerElement);
}

BOOST_AUTO_TEST_CASE(more_cores_than_the_machine_has_are_refused) {
  const auto message = message_of({.cores = 8, .synthetic = "core:2 1"}, ErrorCode::platform);
  BOOST_TEST(message == "asked for 8 cores but only 2 are allowed (the machine has 2 cores): ask for at most 2");
}

BOOST_AUTO_TEST_CASE(a_refusal_mentions_hyperthreads_that_would_do) {
  const auto message = message_of({.cores = 4, .synthetic = "core:2 pu:2"}, ErrorCode::platform);
  BOOST_TEST(contains(message, "or use hyperthreads, of which there are 4"));
}

BOOST_AUTO_TEST_CASE(more_cores_than_a_restriction_leaves_are_refused_by_its_name) {
  const auto message = message_of({.cores = 8, .restrict_to = "2", .synthetic = "core:16 1"}, ErrorCode::platform);
  BOOST_TEST(contains(message, "asked for 8 cores but only 1 is allowed"));
  BOOST_TEST(contains(message, "restriction asked for (2): 1 PU (2)"));
}

BOOST_AUTO_TEST_CASE(more_cores_than_a_cgroup_grants_are_refused_by_its_name) {
  tests::FakeSystem system;
  system.use_v2("/pods/p1");
  system.group_file("/pods", "cpu.max", "250000 100000");
  const auto message =
      message_of({.cores = 8, .synthetic = "core:16 1", .system_root = system.root()}, ErrorCode::platform);
  BOOST_TEST(contains(message, "asked for 8 cores but only 3 are allowed"));
  BOOST_TEST(contains(message, "processor time limit of cgroup /pods: 2.5 CPUs"));
  BOOST_TEST(contains(message, "ask for at most 3"));
}

BOOST_AUTO_TEST_CASE(a_negative_number_of_cores_is_refused) {
  BOOST_TEST(contains(message_of({.cores = -1}, ErrorCode::invalid_argument), "-1"));
}

BOOST_AUTO_TEST_CASE(a_cgroup_quota_limits_the_workers_which_are_compact_and_unbound) {
  tests::FakeSystem system;
  system.use_v1("/job");
  system.group_file("/cpu,cpuacct/job", "cpu.cfs_quota_us", "150000");
  system.group_file("/cpu,cpuacct/job", "cpu.cfs_period_us", "100000");
  system.set_meminfo(8000, 6000);
  const auto topology = discovered({.synthetic = kSixteenCores, .system_root = system.root()});
  BOOST_TEST(pus_of(topology) == (std::vector<int>{0, 1}), kPerElement);
  BOOST_TEST(topology.allowed_cores == 2);
  BOOST_TEST(!topology.bindable);
  BOOST_TEST_REQUIRE(topology.limits.size() == 1U);
  BOOST_TEST(topology.limits[0] == "processor time limit of cgroup /job: 1.5 CPUs");
  BOOST_TEST(topology.memory.available.count == 6000U * 1024);
}

BOOST_AUTO_TEST_CASE(a_quota_above_the_cores_changes_nothing) {
  tests::FakeSystem system;
  system.use_v2("/");
  system.group_file("", "cpu.max", "9900000 100000");
  BOOST_TEST(discovered({.synthetic = kSixteenCores, .system_root = system.root()}).cores.size() == 16U);
}

BOOST_AUTO_TEST_CASE(a_quota_alone_takes_away_the_binding_of_this_machine) {
  tests::FakeSystem system;
  system.use_v2("/");
  system.group_file("", "cpu.max", "100000 100000");
  const auto topology = discovered({.system_root = system.root()});
  BOOST_TEST(topology.cores.size() == 1U);
  BOOST_TEST(topology.bindable == (topology.allowed_pus.size() == 1));
  BOOST_TEST(topology.bindable == topology.unbindable_because.empty());
}

BOOST_AUTO_TEST_CASE(tests_may_have_more_workers_than_cores) {
  const auto topology = discovered({.cores = 5, .oversubscribe = true, .synthetic = "package:2 core:1 1"});
  BOOST_TEST(pus_of(topology) == (std::vector<int>{0, 1, 0, 1, 0}), kPerElement);
  BOOST_TEST((topology.victim_order(0) == Rings{{2, 4}, {1, 3}}));
  BOOST_TEST(!topology.bindable);
  BOOST_TEST(!discovered({.cores = 200, .oversubscribe = true}).bindable);
}

BOOST_AUTO_TEST_CASE(a_described_machine_cannot_be_bound_to) {
  const auto topology = discovered({.synthetic = "core:2 1"});
  BOOST_TEST(!topology.bindable);
  BOOST_TEST(topology.unbindable_because == "the machine is only described");
}

BOOST_AUTO_TEST_CASE(a_description_that_makes_no_sense_is_refused) {
  BOOST_TEST(contains(message_of({.synthetic = "cabbage:2"}, ErrorCode::invalid_argument), "cabbage:2"));
}

BOOST_AUTO_TEST_CASE(the_environment_describes_a_machine_too) {
  const EnvironmentVariable variable("HWLOC_SYNTHETIC", "package:2 [numa] core:3 pu:1");
  const auto topology = discovered({});
  BOOST_TEST(topology.cores.size() == 6U);
  BOOST_TEST(topology.machine.numa_nodes.size() == 2U);
  BOOST_TEST(!topology.bindable);
  BOOST_TEST(discovered({.synthetic = "core:7 1"}).cores.size() == 7U);
}

BOOST_AUTO_TEST_CASE(a_description_said_to_be_of_this_machine_is_narrowed_to_what_is_allowed_here) {
  const EnvironmentVariable synthetic("HWLOC_SYNTHETIC", "package:2 core:2048 pu:1");
  const EnvironmentVariable here("HWLOC_THISSYSTEM", "1");
  const auto topology = discovered({});
  BOOST_TEST(topology.machine.pus.size() == 4096U);
  BOOST_TEST(topology.cores.size() < 4096U);
  BOOST_TEST(contains(topology.limits.at(0), "cpuset and affinity mask"));
  BOOST_TEST(contains(message_of({.cores = 4096}, ErrorCode::platform), "4096 cores"));
}

BOOST_AUTO_TEST_CASE(two_hundred_and_fifty_six_cores_see_all_others_once) {
  const auto topology = discovered({.synthetic = "package:2 [numa] l3:16 core:8 pu:2"});
  BOOST_TEST_REQUIRE(topology.cores.size() == 256U);
  for (int core = 0; core < 256; ++core) {
    std::vector<bool> seen(256);
    const auto rings = topology.victim_order(core);
    BOOST_TEST_REQUIRE(rings.size() == 3U);
    for (const auto& ring : rings) {
      for (const int other : ring) seen[static_cast<std::size_t>(other)] = true;
    }
    BOOST_TEST(rings[0].size() == 7U);
    BOOST_TEST(std::count(seen.begin(), seen.end(), true) == 255);
    BOOST_TEST(!seen[static_cast<std::size_t>(core)]);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
