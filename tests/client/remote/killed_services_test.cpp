// Random programs on services that are killed and restarted. tests/soak/service_killed.cpp runs more of them.
//
//   test_client_remote --run_test=random_programs_on_killed_services -- FIRST [COUNT]   runs COUNT seeds, beginning
// with FIRST.
#include <built_paths.hpp>  // written by the build

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/client/seeds.hpp"
#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/killed/killed_service.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(random_programs_on_killed_services)

namespace {

BOOST_AUTO_TEST_CASE(end_right_or_say_that_the_service_is_lost_and_run_on_the_next) {
  const Seeds run = seeds(500);
  SeedWatchdog watchdog;
  KilledServiceRuns runs;
  for (std::uint64_t done = 0; done < run.count; done += KilledServiceRuns::kAtOnce) {
    watchdog.next(run.first + done);
    const std::uint64_t count = std::min(KilledServiceRuns::kAtOnce, run.count - done);
    for (const std::string& problem : runs.execute(run.first + done, count)) BOOST_ERROR(problem);
  }
  // If all seeds of a round run, most services are killed while programs run.
  if (run.count >= 50) BOOST_TEST(runs.lost() > run.count / 4);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
