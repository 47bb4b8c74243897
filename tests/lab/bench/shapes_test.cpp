#include "lab/bench/shapes.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

namespace troupe::bench {

BOOST_AUTO_TEST_SUITE(shapes)

namespace {

/// Returns the predecessors of a task that follow from the data of the shape. A reader depends on the last writer. A
/// writer depends on the readers since the last writer, or on the last writer if there are no readers.
std::set<std::int64_t> by_data(Shape shape, std::int64_t task) {
  std::int64_t writer = -1;
  std::set<std::int64_t> readers;
  const DataUse use = data_use(shape, task);
  for (std::int64_t earlier = 0; earlier < task; ++earlier) {
    const DataUse other = data_use(shape, earlier);
    if (other.set != use.set) continue;
    if (other.writes) {
      writer = earlier;
      readers.clear();
    } else {
      readers.insert(earlier);
    }
  }
  if (use.writes && !readers.empty()) return readers;
  return writer < 0 ? std::set<std::int64_t>{} : std::set<std::int64_t>{writer};
}

/// Some runtimes get the data of the tasks, others get the edges. Both must describe the same graph.
BOOST_AUTO_TEST_CASE(edges_and_data_say_the_same) {
  for (const Shape shape : {Shape::independent, Shape::chain, Shape::chains64, Shape::fork_join}) {
    for (std::int64_t task = 0; task < 200; ++task) {
      const Predecessors edges = predecessors(shape, task);
      std::set<std::int64_t> by_edges;
      for (std::int64_t i = 0; i < edges.count; ++i) by_edges.insert(edges.first + i);
      BOOST_TEST_CONTEXT(to_string(shape) << " task " << task) {
        BOOST_TEST(by_edges == by_data(shape, task), boost::test_tools::per_element());
        BOOST_TEST(data_use(shape, task).set < data_sets(shape));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(trees_are_as_large_as_they_may) {
  BOOST_TEST(tree_tasks(0) == 1);
  BOOST_TEST(tree_tasks(2) == 7);
  BOOST_TEST(tree_depth(6) == 1);
  BOOST_TEST(tree_depth(7) == 2);
  BOOST_TEST(tree_depth(1) == 0);
}

BOOST_AUTO_TEST_CASE(parameters_that_make_no_sense_are_refused) {
  const auto options = [](std::vector<const char*> words) {
    Parameters parameters(words);
    return overhead_options(parameters);
  };
  BOOST_CHECK(options({"shape=chain", "handles=2"}).shape == Shape::chain);
  BOOST_CHECK_THROW(options({"shape=ring"}), BadParameter);
  BOOST_CHECK_THROW(options({"handles=5"}), BadParameter);
  BOOST_CHECK_THROW(options({"handles=-1"}), BadParameter);
  BOOST_CHECK_THROW(options({"handles=x"}), BadParameter);
  BOOST_CHECK_THROW(options({"colour=red"}), BadParameter);
  BOOST_CHECK_THROW(options({"chain"}), BadParameter);
  BOOST_CHECK_THROW(options({"tasks=1", "tasks=2"}), BadParameter);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::bench
