// Runs many random programs on whole runtimes.
//
//   soak_random_programs -- [COUNT [FIRST]]   runs COUNT seeds (default 10000), beginning with FIRST (default 1).
//
// The tasks of each seed are submitted directly, and then recorded and run many times.
// If a seed fails, or has not ended after 5 minutes, the program prints the seed and the command that runs it again.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/random/random_run_actor.hpp"

namespace troupe::tests {
namespace {

BOOST_AUTO_TEST_SUITE(random_programs)

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const std::uint64_t count = suite.argc > 1 ? std::strtoull(suite.argv[1], nullptr, 10) : 10000;
  const std::uint64_t first = suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : 1;
  SeedWatchdog watchdog;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    watchdog.next(seed);
    const RandomRun run = random_run(seed);
    const auto report = [&](const std::vector<std::string>& problems, const char* how) {
      for (const std::string& problem : problems) {
        BOOST_ERROR("seed " << seed << " (" << describe(run) << how << "): " << problem
                            << "; to run it again: " << replay(seed));
      }
    };
    report(execute(run), "");
    report(execute_recorded(run), ", recorded");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
