// Random programs on a service. tests/soak/service_programs.cpp runs more of them.
//
//   test_client_remote --run_test=random_programs_on_a_service -- FIRST [COUNT]   runs COUNT seeds, beginning with
// FIRST.
#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/client/seeds.hpp"
#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/service_run.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(random_programs_on_a_service)

namespace {

void end_as_if_run_one_task_after_the_other(bool accelerators) {
  const Seeds run = seeds(500);
  SeedWatchdog watchdog;
  ServiceRuns runs(accelerators);
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    watchdog.next(seed);
    for (const std::string& problem : runs.execute(seed)) {
      BOOST_ERROR("seed " << seed << " (" << runs.describe() << "): " << problem);
    }
  }
}

BOOST_AUTO_TEST_CASE(of_cores_end_as_if_run_one_task_after_the_other) { end_as_if_run_one_task_after_the_other(false); }

BOOST_AUTO_TEST_CASE(with_accelerators_end_as_if_run_one_task_after_the_other) {
  end_as_if_run_one_task_after_the_other(true);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
