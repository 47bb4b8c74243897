/// Tests how a worker behaves when the process has no memory left.
#include <boost/test/unit_test.hpp>
#include <vector>

#include "actors/workers/worker_core.hpp"
#include "tests/actors/graph_fixture.hpp"
#include "tests/actors/workers/steal_plans.hpp"
#include "tests/support/failing_memory.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(worker_core_memory)

BOOST_AUTO_TEST_CASE(a_task_that_was_taken_is_not_lost_where_memory_runs_out) {
  for (const bool shared : {false, true}) {
    tests::GraphFixture tasks;
    Crew crew(tasks.graph, 1, tests::nobody_steals(1));
    if (shared) crew.share_workers();
    WorkerCore core(crew, {.self = WorkerId(0), .slots = 3, .fetches = true, .lookahead = 6});
    for (int i = 0; i < 9; ++i) crew.ports[0].deque.push(tasks.task());
    std::vector<Step> steps;
    steps.reserve(12);
    {
      const tests::FailingMemory nothing;
      while (steps.size() < 12) {
        steps.push_back(core.next());
        if (steps.back().kind == Step::Kind::acquire) core.acquired(*steps.back().task);
      }
    }
    BOOST_TEST(core.running() == 3U);
    BOOST_TEST(core.in_hand() == 9U);
    BOOST_TEST(crew.ports[0].deque.size() == 0U);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
