// Random programs on whole runtimes. tests/soak/random_programs.cpp runs more of them.
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/support/random/random_run_actor.hpp"
#include "tests/support/tries.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(random_programs)

namespace {

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) {
  for (std::uint64_t seed = 1; seed <= tests::tries(500); ++seed) {
    const RandomRun run = random_run(seed);
    for (const std::string& problem : execute(run)) {
      BOOST_ERROR("seed " << seed << " (" << describe(run) << "): " << problem);
    }
  }
}

BOOST_AUTO_TEST_CASE(end_the_same_recorded_and_run_again) {
  for (std::uint64_t seed = 1; seed <= tests::tries(200); ++seed) {
    const RandomRun run = random_run(seed);
    for (const std::string& problem : execute_recorded(run)) {
      BOOST_ERROR("seed " << seed << " (" << describe(run) << ", recorded): " << problem);
    }
  }
}

BOOST_AUTO_TEST_CASE(run_in_the_same_order_for_the_same_seed_in_deterministic_mode) {
  int different_seeds_differ = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomRun run = random_run(seed);
    run.runtime.threads.deterministic = true;
    run.runtime.cores = 4;
    run.runtime.window = 65536;
    run.program.submitters = 1;
    run.program.canceller = false;  // The canceller would be a second thread, so the run would not be deterministic.
    RanProgram first;
    RanProgram second;
    RanProgram other;
    execute(run, &first);
    execute(run, &second);
    BOOST_TEST_CONTEXT("seed " << seed << " (" << describe(run) << ")") {
      BOOST_TEST(first.order == second.order, boost::test_tools::per_element());
    }
    run.runtime.seed += 1000;
    execute(run, &other);
    different_seeds_differ += first.order == other.order ? 0 : 1;
  }
  BOOST_TEST(different_seeds_differ > 10);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
