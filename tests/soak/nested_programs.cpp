// Runs many random programs of nested tasks.
//
//   soak_nested_programs -- [COUNT [FIRST]]   runs COUNT seeds (default 10000), beginning with FIRST (default 1).
//
// Each seed runs on cores, in one thread, with emulated GPUs, in virtual time, recorded and with a cut-off, with and
// without failures, halo parts and kernels that wait. If a seed has not ended after 5 minutes, the program prints the
// seed and the command that runs it again.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/nested/nested_program_actor.hpp"

namespace troupe::tests {
namespace {

BOOST_AUTO_TEST_SUITE(nested_programs)

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const std::uint64_t count = suite.argc > 1 ? std::strtoull(suite.argv[1], nullptr, 10) : 10000;
  const std::uint64_t first = suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : 1;
  SeedWatchdog watchdog;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    watchdog.next(seed);
    for (int variant = 0; variant < 32; ++variant) {
      const int kind = variant / 4;
      const NestedProgram program{.seed = seed,
                                  .faults = variant % 2 == 1,
                                  .gpus = kind == 1 || kind == 5,
                                  .deterministic = kind == 2,
                                  .waits = variant / 2 % 2 == 1 && kind != 4 && kind != 5,
                                  .halos = kind == 6 || variant / 2 % 2 == 1,
                                  .cutoff = kind == 3 || kind == 6,
                                  .recorded = kind == 7,
                                  .simulated = kind == 4 || kind == 5};
      for (const std::string& problem : execute(program)) {
        BOOST_ERROR(describe(program) << ": " << problem << "; to run it again: soak_nested_programs -- 1 " << seed);
      }
    }
  }
  BOOST_TEST(count > 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
