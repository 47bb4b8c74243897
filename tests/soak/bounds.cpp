// Compares many random runs in virtual time with their lower bounds.
//
//   soak_bounds -- [COUNT [FIRST]]   runs COUNT seeds (default 10000), beginning with FIRST (default 1).
//
// If a run violates a bound, or has not ended after 5 minutes, the program prints the seed and the command that runs it
// again.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/random/bounded_run_actor.hpp"

namespace troupe::tests {
namespace {

BOOST_AUTO_TEST_SUITE(bounds)

BOOST_AUTO_TEST_CASE(no_run_is_below_its_bounds) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const std::uint64_t count = suite.argc > 1 ? std::strtoull(suite.argv[1], nullptr, 10) : 10000;
  const std::uint64_t first = suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : 1;
  SeedWatchdog watchdog;
  double closest = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    watchdog.next(seed);
    const BoundedRun run = bounded_run(seed);
    for (const std::string& problem : run.problems()) {
      BOOST_ERROR("seed " << seed << " (" << run.description << "): " << problem
                          << "; to run it again: " << replay(seed));
    }
    if (run.seconds > 0) closest = std::max(closest, run.bound_seconds / run.seconds);
  }
  BOOST_TEST(closest <= 1);
  BOOST_TEST_MESSAGE(count << " seeds, at most " << 100 * closest << " % of the time that is possible");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
