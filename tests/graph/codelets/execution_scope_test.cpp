#include "graph/codelets/execution_scope.hpp"

#include <boost/test/unit_test.hpp>
#include <thread>

#include "tests/support/step_host.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(execution_scope)

namespace {

/// Returns the worker of the calling thread's innermost scope in the graph; 1000 if the thread is not in such a scope.
WorkerId worker_in(const tests::StepHost& host) {
  const ExecutionScope::Place* place = ExecutionScope::find(&host.graph);
  return place != nullptr ? place->worker() : WorkerId(1000);
}

constexpr WorkerId kNone(1000);

BOOST_AUTO_TEST_CASE(is_found_by_its_graph_and_thread_while_it_lives) {
  tests::StepHost first;
  tests::StepHost second;
  BOOST_TEST((worker_in(first) == kNone));
  {
    const ExecutionScope outer(&first.graph, WorkerId(3));
    BOOST_TEST((worker_in(first) == WorkerId(3)));
    BOOST_TEST((worker_in(second) == kNone));
    WorkerId elsewhere(7);
    std::thread([&] { elsewhere = worker_in(first); }).join();
    BOOST_TEST((elsewhere == kNone));
    {
      const ExecutionScope inner(&second.graph, WorkerId(4));
      BOOST_TEST((worker_in(first) == WorkerId(3)));
      BOOST_TEST((worker_in(second) == WorkerId(4)));
      const ExecutionScope innermost(&first.graph, WorkerId(5));
      BOOST_TEST((worker_in(first) == WorkerId(5)));
    }
    BOOST_TEST((worker_in(first) == WorkerId(3)));
  }
  BOOST_TEST((worker_in(first) == kNone));
}

BOOST_AUTO_TEST_CASE(who_joins_is_in_the_same_kernels_but_not_the_workers_thread) {
  tests::StepHost first;
  tests::StepHost second;
  tests::StepHost third;
  const ExecutionScope outer(&first.graph, WorkerId(3));
  const ExecutionScope inner(&second.graph, WorkerId(4));
  std::thread([&, of = ExecutionScope::innermost()] {
    {
      const ExecutionScope::Joined joined(of);
      BOOST_TEST((worker_in(first) == WorkerId{}));
      BOOST_TEST((worker_in(second) == WorkerId{}));
      BOOST_TEST((worker_in(third) == kNone));
      const ExecutionScope own(&third.graph, WorkerId(5));
      BOOST_TEST((worker_in(third) == WorkerId(5)));
      BOOST_TEST((worker_in(first) == WorkerId{}));
    }
    BOOST_TEST((worker_in(first) == kNone));
  }).join();
  BOOST_TEST((worker_in(second) == WorkerId(4)));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
