// Tests of the internal tasks that order data that are divided anew. Tasks run one at a time.
#include <array>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <vector>

#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(task_graph_repartition)

BOOST_AUTO_TEST_CASE(the_loss_of_a_worker_does_no_harm_to_a_division) {
  tests::StepHost host;
  std::vector<double> memory(4, 1);
  const Handle whole = tests::register_matrix(host.graph, memory, 4, 1, "x");
  const std::array<Block, 2> halves{Block{0, 0, 2, 1}, Block{2, 0, 2, 1}};
  const std::array<Block, 2> others{Block{0, 0, 1, 1}, Block{1, 0, 3, 1}};
  const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](MatrixView<double> x) { x(0, 0) += 1; });
  const std::vector<Handle> former = host.graph.partition(whole, halves).value_or_throw();
  tests::submit(host.graph, add, {former[0]});
  const std::vector<Handle> parts = host.graph.repartition(whole, others).value_or_throw();
  const Future last = tests::submit(host.graph, add, {parts[0]});
  host.step();
  // The kernel of a division does nothing, so nothing can be half done.
  while (!host.ready.empty() && host.ready.front()->codelet->name == "divide") {
    Task& division = *host.ready.pop_front();
    TaskList next;
    BOOST_TEST((host.graph.begin(division, WorkerId(0), next) == Begin::run));
    const auto lost = std::make_shared<const Failure>(Failure{ErrorCode::kernel_failed, "lost with a worker"});
    host.graph.complete(division, lost, WorkerId(0), next);
    host.ready.append(next);
  }
  host.run_all();
  BOOST_TEST((host.graph.status(last) == TaskStatus::succeeded));
  BOOST_TEST(host.graph.wait_all().ok());
  BOOST_TEST(memory[0] == 3);
}

BOOST_AUTO_TEST_CASE(it_waits_if_too_many_replaced_parts_are_in_use) {
  GraphOptions options;
  options.late_divisions = 6;
  tests::StepHost host(options);
  std::vector<double> memory(4, 1);
  const Handle whole = tests::register_matrix(host.graph, memory, 4, 1, "x");
  const std::array<Block, 2> halves{Block{0, 0, 2, 1}, Block{2, 0, 2, 1}};
  const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](MatrixView<double> x) { x(0, 0) += 1; });
  std::vector<Handle> parts = host.graph.partition(whole, halves).value_or_throw();
  // Each round replaces two parts, of which each overlaps one new part.
  for (int round = 0; round < 3; ++round) {
    BOOST_TEST(host.graph.late_divisions() == 2U * static_cast<unsigned>(round));
    const Future task = tests::submit(host.graph, add, {parts[0]});
    parts = host.graph.repartition(whole, halves).value_or_throw();
    BOOST_TEST((host.graph.status(task) == TaskStatus::pending));
  }
  const Future last = tests::submit(host.graph, add, {parts[0]});
  BOOST_TEST((host.graph.begin_repartition(whole, halves, false, [] {}).failure().code == ErrorCode::wait_in_kernel));
  parts = host.graph.repartition(whole, halves).value_or_throw();
  BOOST_TEST((host.graph.status(last) == TaskStatus::succeeded));
  BOOST_TEST(host.graph.late_divisions() == 0U);
  BOOST_TEST(memory[0] == 5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
