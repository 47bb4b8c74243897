// Runs many random OpenCL programs on pocl's devices.
//
//   soak_opencl_programs -- [COUNT [FIRST]]   runs COUNT seeds (default 10000), beginning with FIRST (default 1).
//
// Each seed runs three times: with all memory of the devices; with so little memory that most unused data must be
// evicted; and with every launch split that can be split. If a seed fails, or has not ended after 5 minutes, the
// program prints the seed and the command that runs it again.
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>

#include "tests/opencl/random/random_program.hpp"
#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::tests {
namespace {

BOOST_AUTO_TEST_SUITE(opencl_programs)

BOOST_AUTO_TEST_CASE(end_as_if_run_one_command_after_the_other) {
  const auto& suite = boost::unit_test::framework::master_test_suite();
  const std::uint64_t count = suite.argc > 1 ? std::strtoull(suite.argv[1], nullptr, 10) : 10000;
  const std::uint64_t first = suite.argc > 2 ? std::strtoull(suite.argv[2], nullptr, 10) : 1;
  use_two_pocl_devices();
  if (opencl::Platform::get().devices().empty()) {
    skip("no OpenCL driver was found: install pocl-opencl-icd");
    return;
  }
  const RandomMachine roomy;
  const RandomMachine tiny = RandomMachine::with_memory(kTinyMemory);
  const RandomMachine parts;
  SeedWatchdog watchdog;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    watchdog.next(seed);
    const auto run = [seed](const RandomMachine& machine, const char* how) {
      for (const std::string& problem : run_random_program(machine, seed)) {
        BOOST_ERROR("seed " << seed << ", " << how << ": " << problem << "; to run it again: " << replay(seed));
      }
    };
    run(roomy, "with all memory");
    run(tiny, "with little memory");
    const EnvironmentVariable in_parts("TROUPE_OPENCL_SPLIT", "always");
    run(parts, "in parts");
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
