// Runs many random programs while the clusters of cores change.
//
//   soak_regroupings -- [COUNT [FIRST]]   runs COUNT seeds (default 10000), beginning with FIRST (default 1).
//
// If a seed fails, or has not ended after 5 minutes, the program prints the seed and the command that runs it again.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/random/regrouped_run_actor.hpp"

namespace troupe::tests {
namespace {

BOOST_AUTO_TEST_SUITE(regroupings)

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const std::uint64_t count = suite.argc > 1 ? std::strtoull(suite.argv[1], nullptr, 10) : 10000;
  const std::uint64_t first = suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : 1;
  SeedWatchdog watchdog;
  std::uint64_t regroupings = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    watchdog.next(seed);
    const RegroupedRun run = regrouped_run(seed);
    std::uint64_t completed = 0;
    for (const std::string& problem : execute(run, &completed)) {
      BOOST_ERROR("seed " << seed << " (" << describe(run) << "): " << problem
                          << "; to run it again: " << replay(seed));
    }
    regroupings += completed;
  }
  BOOST_TEST(regroupings > count);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
