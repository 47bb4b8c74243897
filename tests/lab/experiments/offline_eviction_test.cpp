#include "lab/experiments/offline_eviction.hpp"

#include <boost/test/unit_test.hpp>

#include "proto/random.hpp"
#include "tests/actors/memory/memory_fixture.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(offline_eviction)

namespace {

using memory::Driven, memory::kHost, memory::kTile, memory::MemoryOptions, memory::NodeDescription;
using memory::read, memory::read_write, memory::tiles, memory::write;

std::vector<NodeDescription> nodes(const std::vector<std::uint64_t>& capacities) { return tiles(capacities).nodes; }

BOOST_AUTO_TEST_CASE(what_is_needed_latest_goes) {
  AccessLog log;
  for (const std::uint64_t handle : {0, 1, 2, 0, 1, 2}) log.admitted(NodeId(1), std::vector{read(handle)});
  // The memory has room for two handles. Handles 0 and 1 are loaded, 2 replaces 1, 0 is a hit, 1 replaces 0, and 2 is a
  // hit.
  const OfflineTraffic traffic = furthest_next_use_offline(log, nodes({2}));
  BOOST_TEST(traffic.loaded.count == 4 * kTile);
  BOOST_TEST(traffic.total().count == 4 * kTile);
  BOOST_TEST(furthest_next_use_offline(log, nodes({3})).total().count == 3 * kTile);
}

BOOST_AUTO_TEST_CASE(what_is_modified_is_written_back_or_brought_home_once) {
  AccessLog log;
  for (const std::uint64_t handle : {0, 1, 0}) log.admitted(NodeId(1), std::vector{write(handle)});
  const OfflineTraffic small = furthest_next_use_offline(log, nodes({1}));
  BOOST_TEST(small.loaded.count == 0U);
  BOOST_TEST(small.written_back.count == 2 * kTile);
  BOOST_TEST(small.brought_home.count == kTile);
  const OfflineTraffic large = furthest_next_use_offline(log, nodes({2}));
  BOOST_TEST(large.written_back.count == 0U);
  BOOST_TEST(large.brought_home.count == 2 * kTile);
}

BOOST_AUTO_TEST_CASE(other_nodes_outdate_what_they_write_and_fetch_what_they_read) {
  AccessLog log;
  log.admitted(NodeId(1), std::vector{read_write(0)});
  log.admitted(NodeId(2), std::vector{read(0)});
  log.admitted(kHost, std::vector{read_write(0)});
  log.admitted(NodeId(1), std::vector{read(0)});
  const OfflineTraffic traffic = furthest_next_use_offline(log, nodes({4, 4}));
  BOOST_TEST(traffic.loaded.count == 4 * kTile);
  BOOST_TEST(traffic.total().count == 4 * kTile);
}

BOOST_AUTO_TEST_CASE(what_is_outdated_before_its_next_use_goes_first) {
  AccessLog log;
  log.admitted(NodeId(1), std::vector{read(0)});
  log.admitted(NodeId(1), std::vector{read(1)});
  // Node 1 needs handle 0 earlier than handle 1. Still, handle 0 is evicted, because the host overwrites handle 0
  // before node 1 reads it.
  log.admitted(NodeId(1), std::vector{read(2)});
  log.admitted(kHost, std::vector{write(0)});
  log.admitted(NodeId(1), std::vector{read(0)});
  log.admitted(NodeId(1), std::vector{read(1)});
  BOOST_TEST(furthest_next_use_offline(log, nodes({2})).loaded.count == 4 * kTile);
}

BOOST_AUTO_TEST_CASE(the_core_moves_no_less_for_reads_of_equal_size_one_after_the_other) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    MemoryOptions options = tiles({1 + random.below(6)});
    const auto log = std::make_shared<AccessLog>();
    options.access_observer = log;
    const std::vector<NodeDescription> described = options.nodes;
    Driven memory(std::move(options));
    for (std::uint64_t request = 0; request < 200; ++request) memory.run(request, 1, {read(random.below(10))});
    const Bytes moved = log->moved() + log->not_on_host();
    const Bytes offline = furthest_next_use_offline(*log, described).total();
    BOOST_TEST(offline.count <= moved.count, "seed " << seed);
    BOOST_TEST(offline.count >= 10 * kTile);
  }
}

BOOST_AUTO_TEST_CASE(what_the_host_does_not_have_in_the_end_is_counted) {
  MemoryOptions options = tiles({4});
  const auto log = std::make_shared<AccessLog>();
  options.access_observer = log;
  Driven memory(std::move(options));
  memory.run(1, 1, {write(0), read_write(1)});
  BOOST_TEST(log->moved().count == kTile);
  BOOST_TEST(log->not_on_host().count == 2 * kTile);
  memory.run(2, 0, {read(0)});
  memory.run(3, 0, {write(1)});
  BOOST_TEST(log->moved().count == 2 * kTile);
  BOOST_TEST(log->not_on_host().count == 0U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
