// Runs many random programs on random machines in virtual time, with real buffers.
//
//   soak_simulations -- [COUNT [FIRST]]   runs COUNT seeds (default 10000), beginning with FIRST (default 1).
//
// Each seed runs three times: its tasks are submitted directly; submitted directly with GPUs that fail; and recorded
// and run many times. Every tenth seed runs once more and must give the same trace. If a seed fails, or has not ended
// after 5 minutes, the program prints the seed and the command that runs it again.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/random/random_faults.hpp"
#include "tests/support/random/simulated_run_actor.hpp"

namespace troupe::tests {
namespace {

BOOST_AUTO_TEST_SUITE(simulations)

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const std::uint64_t count = suite.argc > 1 ? std::strtoull(suite.argv[1], nullptr, 10) : 10000;
  const std::uint64_t first = suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : 1;
  SeedWatchdog watchdog;
  std::uint64_t tasks = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    watchdog.next(seed);
    const SimulatedRun run = simulated_run(seed);
    const auto report = [&](const std::vector<std::string>& problems, const char* how) {
      for (const std::string& problem : problems) {
        BOOST_ERROR("seed " << seed << " (" << describe(run) << how << "): " << problem
                            << "; to run it again: " << replay(seed));
      }
    };
    Seen seen;
    report(execute(run, &seen), "");
    tasks += seen.report.ended;
    const SimulatedRun faulty = simulated_run_with_faults(seed);
    report(execute(faulty), describe(faulty.simulation().disturbances.faults).c_str());
    report(execute_recorded(run), ", recorded");
    if (seed % 10 != 0) continue;
    Seen again;
    execute(run, &again);
    if (again.trace != seen.trace) report({"it left another trace when it was run again"}, "");
  }
  BOOST_TEST_MESSAGE(count << " seeds, " << tasks << " tasks");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
