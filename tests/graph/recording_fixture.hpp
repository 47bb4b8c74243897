/// A graph with three numbers, and codelets that record which tasks ran. Tasks run one at a time.
#pragma once

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graph/data/data_record.hpp"
#include "graph/task_graph.hpp"
#include "tests/support/graph_data.hpp"
#include "tests/support/random/recording_data.hpp"
#include "tests/support/step_host.hpp"

namespace troupe::tests {

using graph::GraphOptions;
using graph::TaskGraph;

struct RecordingFixture {
  StepHost host{GraphOptions{.workers = 3}};
  TaskGraph& graph = host.graph;
  double a = 1;
  double b = 2;
  double c = 3;
  Handle ha = register_scalar(graph, a, "a");
  Handle hb = register_scalar(graph, b, "b");
  Handle hc = register_scalar(graph, c, "c");
  /// The numbers of the tasks that have run.
  std::vector<int> ran;
  bool broken = false;

  Codelet note = with_kernel(Codelet::variadic("note"));
  Codelet set = Codelet("set", {AccessMode::write}).cpu([](double& x, double to) { x = to; });
  Codelet twice = Codelet("twice", {AccessMode::read_write}).cpu([](double& x) { x *= 2; });
  Codelet copy = Codelet("copy", {AccessMode::read, AccessMode::write}).cpu([](const double& x, double& y) { y = x; });
  Codelet add =
      Codelet("add", {AccessMode::read, AccessMode::reduce}).cpu([](const double& x, double& sum) { sum += x; });
  Codelet may_fail = Codelet("may_fail", {AccessMode::read_write}).cpu([](double& x, RecordingFixture* fixture) {
    if (fixture->broken) throw std::runtime_error("disk full");
    x += 1;
  });

  static Codelet with_kernel(Codelet codelet) {
    return std::move(codelet).cpu([](const KernelContext& context) {
      context.argument<RecordingFixture*>(0)->ran.push_back(context.argument<int>(1));
    });
  }
  Future noted(int number, std::initializer_list<Access> accesses, const TaskOptions& options = {}) {
    return submit(graph, note, accesses, args(this, number), options);
  }
  /// Runs the recording once. Returns the numbers of its tasks, in the order in which they ran.
  std::vector<int> order_of_run(const SharedRecording& recording) {
    ran.clear();
    run(graph, recording);
    host.run_all();
    return ran;
  }
  void expect_failure(const Result<Future>& outcome, ErrorCode code, const std::string& part) {
    BOOST_TEST_REQUIRE(!outcome.ok());
    BOOST_TEST((outcome.failure().code == code), outcome.failure().message);
    BOOST_TEST(contains(outcome.failure().message, part), outcome.failure().message);
  }
};

}  // namespace troupe::tests
