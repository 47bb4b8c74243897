// Runs many random programs on services that are killed while the programs run, and then started again.
//
//   soak_service_killed -- [COUNT [FIRST]]   runs COUNT seeds (default 10000), beginning with FIRST (default 1).
#include <built_paths.hpp>  // written by the build

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/killed/killed_service.hpp"

namespace troupe::tests {
namespace {

BOOST_AUTO_TEST_SUITE(killed_services)

BOOST_AUTO_TEST_CASE(programs_end_right_or_say_that_the_service_is_lost_and_run_on_the_next) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const std::uint64_t count = suite.argc > 1 ? std::strtoull(suite.argv[1], nullptr, 10) : 10000;
  const std::uint64_t first = suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : 1;
  SeedWatchdog watchdog;
  KilledServiceRuns runs;
  for (std::uint64_t done = 0; done < count; done += KilledServiceRuns::kAtOnce) {
    watchdog.next(first + done);
    for (const std::string& problem : runs.execute(first + done, std::min(KilledServiceRuns::kAtOnce, count - done))) {
      BOOST_ERROR(problem << "; to run it again: " << replay(first + done));
    }
  }
  std::printf("%llu of %llu programs lost their service\n", static_cast<unsigned long long>(runs.lost()),
              static_cast<unsigned long long>(count));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
