// Tests submissions during which memory runs out.
#include <boost/test/unit_test.hpp>
#include <new>
#include <vector>

#include "tests/support/failing_memory.hpp"
#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(allocation_failure)

namespace {

using tests::register_scalar;
using tests::StepHost;
using tests::submit;

struct Fixture {
  StepHost host;
  TaskGraph& graph = host.graph;
  std::vector<double> values = std::vector<double>(12);
  std::vector<Handle> handles;
  Codelet add = Codelet::variadic("add").cpu([](const KernelContext& context) {
    for (std::size_t i = 0; i < context.size(); ++i) *context.matrix<double>(i).data += 1;
  });
  Codelet look = Codelet::variadic("look").cpu([](const KernelContext&) {});
  std::vector<Access> all;

  Fixture() {
    for (double& value : values) handles.push_back(register_scalar(graph, value));
    graph.set_reduction(handles[0], sum_reduction<double>()).value_or_throw();
    for (const Handle& handle : handles) all.push_back(read_write(handle));
    // Readers and a reduction come first, so that the task has many predecessors.
    for (int i = 0; i < 20; ++i) {
      std::vector<Access> some;
      for (const Handle& handle : handles) some.push_back(read(handle));
      (void)graph.submit({look, some, {}, {}}).value_or_throw();
    }
    const std::vector<Access> reduced{reduce(handles[0])};
    (void)graph.submit({add, reduced, {}, {}}).value_or_throw();
  }

  /// Submits a task while only this number of allocations succeeds. Returns true if the submission succeeded.
  bool submit_with(std::size_t allocations) {
    TaskOptions options;
    options.name = "a name that is too long to be kept inside of a string";
    try {
      const tests::FailingMemory memory(allocations);
      return graph.submit({add, all, {}, options}).ok();
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
};

BOOST_AUTO_TEST_CASE(a_task_that_there_is_no_memory_for_is_as_if_it_had_not_been_submitted) {
  bool submitted = false;
  std::size_t allocations = 0;
  for (; !submitted && allocations < 1000; ++allocations) {
    Fixture fixture;
    submitted = fixture.submit_with(allocations);
    // The failed submission must not change the order of the next task.
    (void)fixture.graph.submit({fixture.add, fixture.all, {}, {}}).value_or_throw();
    BOOST_TEST_REQUIRE(fixture.graph.wait_all().ok());
    const Progress progress = fixture.graph.progress();
    BOOST_TEST_REQUIRE(progress.submitted == progress.ended);
    const double added = submitted ? 2 : 1;
    BOOST_TEST_REQUIRE(fixture.values[0] == added + 1);
    for (std::size_t i = 1; i < fixture.values.size(); ++i) BOOST_TEST_REQUIRE(fixture.values[i] == added);
  }
  BOOST_TEST(submitted);
  BOOST_TEST(allocations > 5U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
