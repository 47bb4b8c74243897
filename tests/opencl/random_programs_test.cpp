#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>

#include "tests/opencl/random/random_program.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/tries.hpp"

namespace troupe::tests {

namespace {

void run_seeds(const RandomMachine& machine, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    for (const std::string& problem : run_random_program(machine, seed))
      BOOST_ERROR("seed " << seed << ": " << problem);
  }
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(random_opencl_programs, OpenClFixture)

BOOST_AUTO_TEST_CASE(end_as_if_run_one_command_after_the_other) {
  if (!has_devices()) return;
  run_seeds(RandomMachine(), 1, tries(200));
}

BOOST_AUTO_TEST_CASE(end_so_where_most_data_have_to_leave_the_devices_again_and_again) {
  if (!has_devices()) return;
  run_seeds(RandomMachine::with_memory(kTinyMemory), 1001, tries(200));
}

BOOST_AUTO_TEST_CASE(end_so_where_all_launches_run_in_parts_that_can) {
  if (!has_devices()) return;
  const EnvironmentVariable variable("TROUPE_OPENCL_SPLIT", "always");
  run_seeds(RandomMachine(), 2001, tries(100));
  run_seeds(RandomMachine::with_memory(kTinyMemory), 2501, tries(50));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
