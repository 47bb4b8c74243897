// Random programs on random machines in virtual time, with real buffers; tests/soak/simulations.cpp runs more of them.
//
//   test_client --run_test=simulated_programs -- FIRST [COUNT]   runs COUNT seeds (default 1) from FIRST on
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

#include "tests/support/simulated_run_actor.hpp"

namespace troupe::tests {
namespace {

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 0;
};

/// Those of the command line, or the first `count`; fewer where a sanitizer slows everything down.
Seeds seeds(std::uint64_t count) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  if (suite.argc > 1) {
    return {std::strtoull(suite.argv[1], nullptr, 10),
            suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : std::uint64_t{1}};
  }
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return {1, count / 5};
#else
  return {1, count};
#endif
}

std::string again(std::uint64_t seed) {
  return "; to run it again: test_client --run_test=simulated_programs -- " + std::to_string(seed);
}

BOOST_AUTO_TEST_SUITE(simulated_programs)

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) {
  const Seeds run = seeds(1000);
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    const SimulatedRun simulated = simulated_run(seed);
    for (const std::string& problem : execute(simulated)) {
      BOOST_ERROR("seed " << seed << " (" << describe(simulated) << "): " << problem << again(seed));
    }
  }
}

BOOST_AUTO_TEST_CASE(end_the_same_recorded_and_run_again) {
  const Seeds run = seeds(300);
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    const SimulatedRun simulated = simulated_run(seed);
    for (const std::string& problem : execute_recorded(simulated)) {
      BOOST_ERROR("seed " << seed << " (" << describe(simulated) << ", recorded): " << problem << again(seed));
    }
  }
}

BOOST_AUTO_TEST_CASE(leave_the_same_trace_for_the_same_seed) {
  const Seeds run = seeds(100);
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    const SimulatedRun simulated = simulated_run(seed);
    std::string first;
    std::string second;
    execute(simulated, &first);
    execute(simulated, &second);
    BOOST_TEST((first == second), "seed " << seed << " leaves two traces" << again(seed));
    BOOST_TEST(!first.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
