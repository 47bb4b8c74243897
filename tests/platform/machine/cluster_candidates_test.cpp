#include "platform/machine/cluster_candidates.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "platform/machine/cluster_plan.hpp"
#include "platform/machine/topology.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(cluster_candidates_of_machines)

namespace {

using Names = std::vector<std::string>;
const auto kPerElement = boost::test_tools::per_element();

Topology machine(const std::string& synthetic, const std::string& only = {}) {
  TopologyOptions options;
  options.synthetic = synthetic;
  options.restrict_to = only;
  auto topology = Topology::discover(options);
  BOOST_TEST_REQUIRE(topology.ok());
  return std::move(topology).value();
}

/// Returns the workers of each candidate. Checks that each candidate gives the workers that it names, that no cluster
/// spans parts of the machine, and that no two candidates are equal.
Names workers_of(const Topology& topology) {
  Names workers;
  for (const ClusterCandidate& candidate : cluster_candidates(topology.cores, topology.machine)) {
    workers.push_back(candidate.workers);
    if (candidate.specification.empty()) continue;
    const auto plan = plan_clusters(candidate.specification, topology.cores, topology.machine);
    BOOST_TEST_REQUIRE(plan.ok(), candidate.specification);
    BOOST_TEST(plan.value().warnings.empty(), candidate.specification);
    BOOST_TEST(to_string(groups_of(plan.value().cores)) == candidate.workers);
    BOOST_TEST(plan.value().cores.size() == static_cast<std::size_t>(candidate.count));
    BOOST_TEST(groups_of(plan.value().cores).front().cores == candidate.largest);
  }
  BOOST_TEST(std::set<std::string>(workers.begin(), workers.end()).size() == workers.size());
  return workers;
}

bool has(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

}  // namespace

BOOST_AUTO_TEST_CASE(no_core_and_one_core_leave_no_choice) {
  BOOST_TEST(cluster_candidates({}, Machine()).empty());
  BOOST_TEST(workers_of(machine("core:1 pu:1")) == Names{"1x1"}, kPerElement);
}

BOOST_AUTO_TEST_CASE(clusters_span_parts_only_where_they_may) {
  const Topology twenty = machine("package:2 core:12 pu:1", "0-19");
  BOOST_TEST(!has(workers_of(twenty), "2x10"));
  Names workers;
  for (const auto& one : cluster_candidates(twenty.cores, twenty.machine, Spanning::allowed)) {
    workers.push_back(one.workers);
  }
  for (const char* name : {"2x10", "1x20", "1x16+4x1", "4x5", "20x1"}) BOOST_TEST(has(workers, name), name);
  BOOST_TEST(std::set<std::string>(workers.begin(), workers.end()).size() == workers.size());
}

BOOST_AUTO_TEST_CASE(two_cores_work_alone_or_together) {
  BOOST_TEST(workers_of(machine("core:2 pu:1")) == (Names{"2x1", "1x2"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(seven_cores_have_all_sizes_with_the_rest_single) {
  BOOST_TEST(workers_of(machine("core:7 pu:1")) ==
                 (Names{"7x1", "1x2+5x1", "3x2+1x1", "1x3+4x1", "2x3+1x1", "1x4+3x1", "1x5+2x1", "1x6+1x1", "1x7"}),
             kPerElement);
}

BOOST_AUTO_TEST_CASE(two_sockets_have_equal_clusters_and_mixes_in_each) {
  const Names workers = workers_of(machine("package:2 [numa(memory=8GB)] core:10 pu:1"));
  BOOST_TEST(workers.front() == "20x1");
  for (const char* name : {"10x2", "4x5", "2x10", "1x10+10x1", "2x9+2x1", "2x5+10x1", "1x10+2x5"}) {
    BOOST_TEST(has(workers, name), name);
  }
  BOOST_TEST(workers.size() < 40U);
  // A cluster of more than ten cores would span two sockets.
  for (const std::string& name : workers) BOOST_TEST(!name.starts_with("1x1x"));
  BOOST_TEST(!has(workers, "1x20"));
  BOOST_TEST(!has(workers, "1x12+8x1"));
}

BOOST_AUTO_TEST_CASE(sockets_of_unequal_size_may_be_one_cluster_each) {
  const Names workers = workers_of(machine("package:2 [numa(memory=8GB)] core:6 pu:1", "0-3,6-11"));
  for (const char* name : {"1x6+1x4", "2x4+2x1", "1x6+4x1", "5x2", "2x3+4x1"}) BOOST_TEST(has(workers, name), name);
  BOOST_TEST(!has(workers, "2x5"));
}

BOOST_AUTO_TEST_CASE(clusters_lie_in_caches_or_are_whole_sockets) {
  const Names workers = workers_of(machine("package:2 [numa(memory=8GB)] l3:2 core:4 pu:1"));
  for (const char* name : {"4x4", "8x2", "2x8", "1x4+12x1"}) BOOST_TEST(has(workers, name), name);
  BOOST_TEST(!has(workers, "2x6+4x1"));
  BOOST_TEST(!has(workers, "1x8+8x1"));
}

BOOST_AUTO_TEST_CASE(many_cores_have_no_more_candidates_than_can_be_simulated) {
  const Names workers = workers_of(machine("package:2 [numa(memory=8GB)] core:64 pu:1"));
  BOOST_TEST(workers.size() < 110U);
  for (const char* name : {"128x1", "64x2", "2x64", "4x32", "8x16", "1x64+64x1"}) BOOST_TEST(has(workers, name), name);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
