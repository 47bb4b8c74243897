// Random programs of nested tasks.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>

#include "tests/client/seeds.hpp"
#include "tests/support/nested/nested_program_actor.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(nested_programs)

namespace {

void try_programs(std::uint64_t count, NestedProgram program) {
  const Seeds tried = seeds(count);
  for (program.seed = tried.first; program.seed < tried.first + tried.count; ++program.seed) {
    for (const std::string& problem : execute(program)) BOOST_ERROR(describe(program) << ": " << problem);
  }
  BOOST_TEST(program.seed > tried.first);
}

}  // namespace

BOOST_AUTO_TEST_CASE(on_cores) { try_programs(500, {}); }
BOOST_AUTO_TEST_CASE(on_cores_with_failures) { try_programs(500, {.faults = true}); }
BOOST_AUTO_TEST_CASE(in_a_chosen_order_of_messages) {
  try_programs(100, {.deterministic = true});
  try_programs(100, {.faults = true, .deterministic = true});
}
BOOST_AUTO_TEST_CASE(with_kernels_that_wait) {
  try_programs(500, {.waits = true});
  try_programs(100, {.faults = true, .waits = true});
  try_programs(50, {.deterministic = true, .waits = true});
  try_programs(250, {.gpus = true, .waits = true});
  try_programs(100, {.faults = true, .gpus = true, .waits = true});
}
BOOST_AUTO_TEST_CASE(with_emulated_gpus) {
  try_programs(250, {.gpus = true});
  try_programs(250, {.faults = true, .gpus = true});
}
BOOST_AUTO_TEST_CASE(recorded) {
  try_programs(100, {.recorded = true});
  try_programs(100, {.faults = true, .recorded = true});
  try_programs(50, {.waits = true, .recorded = true});
  try_programs(50, {.gpus = true, .recorded = true});
}
BOOST_AUTO_TEST_CASE(with_kernels_that_call_what_they_submit) {
  try_programs(100, {.cutoff = true});
  try_programs(100, {.faults = true, .cutoff = true});
  try_programs(50, {.waits = true, .cutoff = true});
}
BOOST_AUTO_TEST_CASE(with_halo_parts) {
  try_programs(100, {.halos = true});
  try_programs(100, {.faults = true, .halos = true});
  try_programs(50, {.deterministic = true, .halos = true});
  try_programs(50, {.waits = true, .halos = true, .cutoff = true});
  try_programs(50, {.halos = true, .recorded = true});
  try_programs(50, {.gpus = true, .halos = true});
  try_programs(50, {.halos = true, .simulated = true});
}
BOOST_AUTO_TEST_CASE(in_virtual_time) {
  try_programs(100, {.simulated = true});
  try_programs(100, {.faults = true, .simulated = true});
  try_programs(50, {.gpus = true, .simulated = true});
  try_programs(50, {.faults = true, .gpus = true, .recorded = true, .simulated = true});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
