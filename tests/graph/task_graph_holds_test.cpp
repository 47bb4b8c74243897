// Tests a thread that waits for tasks which need data that the thread itself has acquired.
#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

#include "graph/task_graph.hpp"
#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"

namespace troupe::graph {

namespace task_graph_holds {

using tests::contains;
using tests::register_scalar;
using tests::StepHost;
using tests::submit;

struct Fixture {
  StepHost host;
  TaskGraph& graph = host.graph;
  double a = 1;
  double b = 2;
  Handle x = register_scalar(graph, a, "x");
  Handle y = register_scalar(graph, b, "y");
  Codelet twice = Codelet("twice", {AccessMode::read_write}).cpu([](double& v) { v *= 2; });
  Codelet copy = Codelet("copy", {AccessMode::read, AccessMode::write}).cpu([](const double& v, double& w) { w = v; });

  template <class T>
  void never_ends(const Result<T>& outcome, const std::string& why) {
    BOOST_TEST_REQUIRE(!outcome.ok());
    BOOST_TEST((outcome.failure().code == ErrorCode::invalid_argument));
    BOOST_TEST(contains(outcome.failure().message, "would never end: " + why), outcome.failure().message);
    BOOST_TEST(contains(outcome.failure().message, "give that back"), outcome.failure().message);
  }
};

}  // namespace task_graph_holds

BOOST_FIXTURE_TEST_SUITE(task_graph_holds, Fixture)

BOOST_AUTO_TEST_CASE(a_thread_does_not_wait_for_tasks_that_wait_for_what_it_holds) {
  Task* const hold = graph.acquire(x, AccessMode::read_write).value_or_throw();
  // A wait for a task that does not need the acquired data is allowed.
  submit(graph, twice, {y});
  BOOST_TEST(graph.wait_all().ok());
  const Future first = submit(graph, copy, {x, y});
  const Future second = submit(graph, twice, {y});
  const std::string why = "task " + std::to_string(first.id().value()) +
                          " (codelet copy) waits for data that this thread holds (acquire), 'x' in mode read_write";
  never_ends(graph.wait_all(), why);
  never_ends(graph.wait(first), why);
  never_ends(graph.wait(second), "task " + std::to_string(second.id().value()) + " (codelet twice) waits for data");
  never_ends(graph.acquire(y, AccessMode::read), "task ");
  never_ends(graph.acquire(x, AccessMode::read), "this thread holds 'x' in mode read_write");
  never_ends(graph.release(x), why);
  never_ends(graph.partition(x, {}), why);
  graph.give_back(hold);
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(b == 2);
}

BOOST_AUTO_TEST_CASE(readers_do_not_wait_for_a_thread_that_reads) {
  Task* const hold = graph.acquire(x, AccessMode::read).value_or_throw();
  submit(graph, copy, {x, y});
  BOOST_TEST(graph.wait_all().ok());
  Task* const second = graph.acquire(x, AccessMode::read).value_or_throw();
  never_ends(graph.acquire(x, AccessMode::write), "this thread holds 'x' in mode read");
  graph.give_back(second);
  submit(graph, twice, {x});
  never_ends(graph.wait_all(), "task ");
  graph.give_back(hold);
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(a == 2);
}

BOOST_AUTO_TEST_CASE(another_thread_may_give_back_what_was_handed_on) {
  Task* const hold = graph.acquire(x, AccessMode::read_write).value_or_throw();
  graph.hand_on(hold);
  const Future future = submit(graph, twice, {x});
  std::thread([&] { graph.give_back(hold); }).join();
  BOOST_TEST(graph.wait(future).ok());
  // If another thread has acquired the data, that thread has to give the data back.
  Task* other = nullptr;
  std::thread([&] { other = graph.acquire(x, AccessMode::read_write).value_or_throw(); }).join();
  const Future waits = submit(graph, twice, {x});
  host.pumps = false;
  BOOST_TEST(contains(graph.wait(waits).failure().message, "data that this program holds"));
  host.pumps = true;
  graph.give_back(other);
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
