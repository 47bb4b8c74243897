// Runs many random programs as clients of a service, on cores and with emulated accelerators.
//
//   soak_service_programs -- [COUNT [FIRST]]   runs COUNT seeds (default 10000) of each kind, beginning with FIRST
// (default 1).
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/service_run.hpp"

namespace troupe::tests {
namespace {

void end_as_if_run_one_task_after_the_other(bool accelerators) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const std::uint64_t count = suite.argc > 1 ? std::strtoull(suite.argv[1], nullptr, 10) : 10000;
  const std::uint64_t first = suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : 1;
  SeedWatchdog watchdog;
  ServiceRuns runs(accelerators);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    watchdog.next(seed);
    for (const std::string& problem : runs.execute(seed)) {
      BOOST_ERROR("seed " << seed << " (" << runs.describe() << "): " << problem
                          << "; to run it again: " << replay(seed));
    }
  }
}

BOOST_AUTO_TEST_SUITE(service_programs)

BOOST_AUTO_TEST_CASE(end_on_cores_as_if_run_one_task_after_the_other) { end_as_if_run_one_task_after_the_other(false); }

BOOST_AUTO_TEST_CASE(end_with_accelerators_as_if_run_one_task_after_the_other) {
  end_as_if_run_one_task_after_the_other(true);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
