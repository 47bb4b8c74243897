#include "apps/bounds/factorization_graph.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apps/simulate/simulated_factorization.hpp"
#include "tests/support/known_machine.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(factorization_graph)

namespace {

using Indices = std::vector<std::uint32_t>;

/// Returns the graph with tiles of size 512. If n is not a multiple of 512, the last tiles are narrower.
FactorizationGraph graph_of(linalg::Application application, std::int64_t n, const std::string& policy = "eager") {
  SimulatedRun run;
  run.application = application;
  run.n = n;
  run.tile = 512;
  run.policy = policy;
  run.simulation.machine = tests::known_machine("idgraf-double");
  run.simulation.gpus = {0, 1};
  run.recorder = std::make_shared<GraphRecorder>();
  static_cast<void>(simulate(run));
  return run.recorder->take();
}

std::string kernel_of(const FactorizationGraph& graph, std::size_t task) {
  return graph.kinds[graph.tasks[task].kind].timed_as;
}

/// Returns a name such as "(2,1)" for a tile of the matrix, and "-" for other data.
std::string name_of(const FactorizationGraph& graph, std::uint32_t tile) {
  const BytesTile& found = graph.tiles[tile];
  return found.row < 0 ? "-" : "(" + std::to_string(found.row) + "," + std::to_string(found.column) + ")";
}

std::string names_of(const FactorizationGraph& graph, const Indices& tiles) {
  std::string names;
  for (const std::uint32_t tile : tiles) names += name_of(graph, tile);
  return names;
}

BOOST_AUTO_TEST_CASE(cholesky_is_written_down_with_its_tiles_the_updated_one_first) {
  const FactorizationGraph graph = graph_of(linalg::Application::cholesky, 3 * 512);
  const std::vector<std::string> reads{"(0,0)",      "(1,0)(0,0)", "(2,0)(0,0)", "(1,1)(1,0)", "(2,1)(2,0)(1,0)",
                                       "(2,2)(2,0)", "(1,1)",      "(2,1)(1,1)", "(2,2)(2,1)", "(2,2)"};
  const std::vector<Indices> predecessors{{}, {0}, {0}, {1}, {1, 2}, {2}, {3}, {4, 6}, {5, 7}, {8}};
  BOOST_TEST_REQUIRE(graph.tasks.size() == reads.size());
  BOOST_TEST_REQUIRE(graph.uses.size() == reads.size());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    BOOST_TEST(names_of(graph, graph.uses[i].reads) == reads[i], "task " << i);
    BOOST_TEST(graph.uses[i].overwrites.empty());
    BOOST_TEST(graph.uses[i].kind == graph.tasks[i].kind);
    BOOST_TEST(graph.tasks[i].predecessors == predecessors[i], boost::test_tools::per_element());
  }
  BOOST_TEST(graph.kinds.size() == 4U);
  BOOST_TEST(kernel_of(graph, 3) == kernel_of(graph, 5));
  BOOST_TEST(kernel_of(graph, 3) != kernel_of(graph, 4));
  // The graph only has the tiles of the lower triangle.
  BOOST_TEST(graph.tiles.size() == 6U);
  for (const BytesTile& tile : graph.tiles) BOOST_TEST(tile.bytes.count == 512U * 512U * 8U);
}

BOOST_AUTO_TEST_CASE(smaller_tiles_make_kinds_of_their_own) {
  const FactorizationGraph graph = graph_of(linalg::Application::cholesky, 512 + 100);
  // The first potrf and the trsm use the large diagonal tile; syrk and the second potrf work on the small corner tile.
  BOOST_TEST(graph.tasks.size() == 4U);
  BOOST_TEST(graph.kinds.size() == 4U);
  BOOST_TEST(kernel_of(graph, 0) == kernel_of(graph, 3));
  BOOST_TEST(graph.kinds[graph.tasks[0].kind].flops > graph.kinds[graph.tasks[3].kind].flops);
  BOOST_TEST(graph.tiles.back().bytes.count == 100U * 100U * 8U);
}

BOOST_AUTO_TEST_CASE(writers_wait_for_the_readers_before_them) {
  // QR with 2 x 2 tiles has the tasks geqrt, unmqr, tsqrt, tsmqr and geqrt.
  const FactorizationGraph graph = graph_of(linalg::Application::qr, 2 * 512);
  BOOST_TEST_REQUIRE(graph.tasks.size() == 5U);
  const std::vector<Indices> predecessors{{}, {0}, {0}, {1, 2}, {3}};
  for (std::size_t i = 0; i < predecessors.size(); ++i) {
    BOOST_TEST(graph.tasks[i].predecessors == predecessors[i], boost::test_tools::per_element());
  }
  // The factors of the reflectors are written without being read before.
  BOOST_TEST(names_of(graph, graph.uses[0].overwrites) == "--");
  BOOST_TEST(names_of(graph, graph.uses[2].overwrites) == "-");
  // Task 3 updates two tiles. The first one in the list is the tile that no other task of its row updates.
  BOOST_TEST(names_of(graph, graph.uses[3].reads) == "(1,1)(0,1)(1,0)-");
  // LU with 3 x 3 tiles: the last update of the last tile waits for the tile's first update and for both of its
  // factors.
  const FactorizationGraph lu = graph_of(linalg::Application::lu, 3 * 512);
  BOOST_TEST(lu.tasks.size() == 14U);
  BOOST_TEST(names_of(lu, lu.uses[12].reads) == "(2,2)(2,1)(1,2)");
  BOOST_TEST(lu.tasks[12].predecessors.size() == 3U);
}

BOOST_AUTO_TEST_CASE(is_the_same_whatever_the_policy) {
  const FactorizationGraph one = graph_of(linalg::Application::lu, 4 * 512, "lws");
  const FactorizationGraph other = graph_of(linalg::Application::lu, 4 * 512, "dada:alpha=0.5,cp");
  BOOST_TEST_REQUIRE(one.tasks.size() == other.tasks.size());
  for (std::size_t i = 0; i < one.tasks.size(); ++i) {
    BOOST_TEST(one.tasks[i].kind == other.tasks[i].kind);
    BOOST_TEST(one.tasks[i].predecessors == other.tasks[i].predecessors, boost::test_tools::per_element());
    BOOST_TEST(one.uses[i].reads == other.uses[i].reads, boost::test_tools::per_element());
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
