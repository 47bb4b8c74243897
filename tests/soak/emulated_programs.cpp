// Runs many random programs on cores and emulated accelerators, with real threads and with faults.
//
//   soak_emulated_programs -- [COUNT [FIRST]]   runs COUNT seeds (default 10000), beginning with FIRST (default 1).
//
// The tasks of each seed are submitted directly; those of every fourth seed are also recorded and run many times. If a
// seed fails, the program prints the seed and the command that runs it again. If a seed has not ended after 5 minutes,
// the program also prints why no task can run.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/random/emulated_run_actor.hpp"

namespace troupe::tests {
namespace {

BOOST_AUTO_TEST_SUITE(emulated_programs)

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other_or_say_why_not) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const std::uint64_t count = suite.argc > 1 ? std::strtoull(suite.argv[1], nullptr, 10) : 10000;
  const std::uint64_t first = suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : 1;
  SeedWatchdog watchdog;
  std::uint64_t tasks = 0;
  std::uint64_t evictions = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    watchdog.next(seed);
    const EmulatedRun run = emulated_run(seed);
    const auto report = [&](const std::vector<std::string>& problems, const char* how) {
      for (const std::string& problem : problems) {
        BOOST_ERROR("seed " << seed << " (" << describe(run) << how << "): " << problem
                            << "; to run it again: " << replay(seed));
      }
    };
    RunReport seen;
    report(execute(run, nullptr, &seen), "");
    tasks += seen.ended;
    evictions += seen.transfers.manager.evictions;
    if (seed % 4 == 0) report(execute_recorded(run), ", recorded");
  }
  BOOST_TEST_MESSAGE(count << " seeds, " << tasks << " tasks, " << evictions << " evictions");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
