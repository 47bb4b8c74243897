#include "graph/codelets/execution_scope.hpp"

#include <boost/test/unit_test.hpp>
#include <thread>

#include "tests/support/step_host.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(execution_scope)

namespace {

BOOST_AUTO_TEST_CASE(is_found_by_its_graph_and_thread_while_it_lives) {
  tests::StepHost first;
  tests::StepHost second;
  BOOST_TEST(ExecutionScope::find(&first.graph) == nullptr);
  {
    const ExecutionScope outer(&first.graph, WorkerId(3));
    BOOST_TEST(ExecutionScope::find(&first.graph) == &outer);
    BOOST_TEST(ExecutionScope::find(&second.graph) == nullptr);
    const ExecutionScope* elsewhere = &outer;
    std::thread([&] { elsewhere = ExecutionScope::find(&first.graph); }).join();
    BOOST_TEST(elsewhere == nullptr);
    {
      const ExecutionScope inner(&second.graph, WorkerId(4));
      BOOST_TEST(ExecutionScope::find(&first.graph) == &outer);
      BOOST_TEST((ExecutionScope::find(&second.graph)->worker() == WorkerId(4)));
      const ExecutionScope innermost(&first.graph, WorkerId(5));
      BOOST_TEST(ExecutionScope::find(&first.graph) == &innermost);
    }
    BOOST_TEST(ExecutionScope::find(&first.graph) == &outer);
  }
  BOOST_TEST(ExecutionScope::find(&first.graph) == nullptr);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
