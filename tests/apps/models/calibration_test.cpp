#include "apps/models/calibration.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "platform/machine/topology.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(calibration_on_clusters)

namespace {

using Names = std::vector<std::string>;
const auto kEachCluster = boost::test_tools::per_element();

/// Returns the clusters that a calibration measures on a machine with this synthetic hwloc topology.
Names telling_on(const std::string& synthetic) {
  platform::TopologyOptions options;
  options.synthetic = synthetic;
  auto topology = platform::Topology::discover(options);
  BOOST_TEST_REQUIRE(topology.ok());
  return telling_clusters(platform::cluster_candidates(topology.value().cores, topology.value().machine));
}

}  // namespace

BOOST_AUTO_TEST_CASE(single_cores_the_largest_clusters_and_those_of_half_the_size_tell_of_all) {
  BOOST_TEST(telling_on("package:1 core:8 pu:1") == (Names{"", "1x8", "1x4"}), kEachCluster);
}

BOOST_AUTO_TEST_CASE(where_nothing_has_half_the_size_what_is_nearest_does) {
  // A cluster inside a cache has at most two cores. The only larger cluster is the whole socket.
  BOOST_TEST(telling_on("package:1 l3:4 core:2 pu:1") == (Names{"", "socket", "1x2"}), kEachCluster);
}

BOOST_AUTO_TEST_CASE(few_cores_have_fewer_sizes) {
  BOOST_TEST(telling_on("core:1 pu:1") == Names{""}, kEachCluster);
  BOOST_TEST(telling_on("core:2 pu:1") == (Names{"", "1x2"}), kEachCluster);
  BOOST_TEST(telling_clusters(std::vector<platform::ClusterCandidate>{}) == Names{""}, kEachCluster);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
