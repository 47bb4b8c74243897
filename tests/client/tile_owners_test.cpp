#include "troupe/tiled_matrix.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <vector>

#include "tests/client/fixture.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(tile_owners)

namespace {

/// Returns options for two pretended NUMA nodes with two workers each.
RuntimeOptions two_nodes() {
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:2 [numa(memory=8GB)] core:2 pu:1";
  options.threads.deterministic = true;
  options.trace = true;
  return options;
}

BOOST_AUTO_TEST_CASE(every_node_owns_an_equal_share_of_any_full_period) {
  for (const std::size_t nodes : {1U, 2U, 3U, 4U, 6U, 8U, 12U}) {
    for (const TileOwners& owners : {TileOwners::square(nodes), TileOwners::columns(nodes)}) {
      BOOST_TEST(owners.nodes() == nodes);
      std::map<NumaId, int> tiles;
      const int period = static_cast<int>(nodes);
      for (int i = 5; i < 5 + period; ++i) {
        for (int j = 3; j < 3 + period; ++j) ++tiles[owners.owner(i, j)];
      }
      BOOST_TEST(tiles.size() == nodes);
      for (const auto& [node, count] : tiles) {
        BOOST_TEST(node.index() < nodes);
        BOOST_TEST(count == period);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_grid_is_as_square_as_it_can_be) {
  const TileOwners owners = TileOwners::square(4);
  const std::vector<std::vector<unsigned>> expected{{0, 1, 0}, {2, 3, 2}, {0, 1, 0}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      BOOST_TEST(owners.owner(i, j).index() == expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    }
  }
}

BOOST_AUTO_TEST_CASE(columns_belong_to_one_node_each) {
  const TileOwners owners = TileOwners::columns(3);
  for (int i = 0; i < 4; ++i) BOOST_TEST(owners.owner(i, 5).index() == 2U);
}

BOOST_AUTO_TEST_CASE(a_runtime_counts_the_nodes_that_have_workers) {
  RuntimeOptions options = two_nodes();
  BOOST_TEST(Runtime(options).numa_nodes() == 2U);
  options.threads.cpus = "2-3";
  BOOST_TEST(Runtime(options).numa_nodes() == 1U);
}

BOOST_AUTO_TEST_CASE(spread_tiles_have_owners_and_others_have_none) {
  Runtime runtime(two_nodes());
  const TiledMatrix<double> tiles(runtime, 8, 8, 2, {TileStorage::tiles, TilePlacement::spread});
  BOOST_TEST(tiles.owner(1, 2).index() == 0U);
  BOOST_TEST(tiles.owner(1, 3).index() == 1U);
  const TiledMatrix<double> columns(runtime, 8, 8, 2, {TileStorage::columns, TilePlacement::spread});
  for (int i = 0; i < 4; ++i) BOOST_TEST(columns.owner(i, 3).index() == 1U);
  BOOST_TEST(!TiledMatrix<double>(runtime, 8, 8, 2).owner(0, 0).valid());
  RuntimeOptions one_node = two_nodes();
  one_node.threads.synthetic_topology = "package:1 core:2 pu:1";
  Runtime other(one_node);
  BOOST_TEST(!TiledMatrix<double>(other, 8, 8, 2, {TileStorage::tiles, TilePlacement::spread}).owner(1, 3).valid());
}

BOOST_AUTO_TEST_CASE(copies_go_to_workers_of_the_owners_node_unless_others_run_out_of_work) {
  Runtime runtime(two_nodes());
  const std::int64_t n = 40;
  std::vector<double> data(static_cast<std::size_t>(n * n));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<double>(i);
  TiledMatrix<double> matrix(runtime, n, n, 2, {TileStorage::tiles, TilePlacement::spread});
  matrix.gather_from(data.data(), n);
  runtime.wait();
  // The map sorts the tasks by their ids, which is the order of submission: column by column.
  std::map<TaskId, WorkerId> worker_of;
  for (const TraceEvent& event : runtime.take_trace().events) worker_of[event.task] = event.worker;
  BOOST_TEST_REQUIRE(worker_of.size() == 400U);
  int at_home = 0;
  int tile = 0;
  for (const auto& [task, worker] : worker_of) {
    const NumaId owner = matrix.owner(tile % 20, tile / 20);
    if (worker.index() / 2 == owner.index()) ++at_home;
    ++tile;
  }
  BOOST_TEST_MESSAGE(at_home << " of 400 copies on their node");
  BOOST_TEST(at_home > 350);
  std::vector<double> back(data.size());
  matrix.scatter_to(back.data(), n);
  runtime.wait();
  BOOST_TEST(back == data, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_hint_for_a_node_that_is_not_there_is_ignored) {
  Runtime runtime(two_nodes());
  int runs = 0;
  const Codelet count = Codelet("count", {AccessMode::read_write}).cpu([](int& value) { ++value; });
  const Data data = runtime.scalar(runs);
  for (const std::uint16_t node : {0, 1, 2, 999}) runtime.submit(count, {data}, {}, {.numa_node = NumaId(node)});
  runtime.wait();
  BOOST_TEST(runs == 4);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
