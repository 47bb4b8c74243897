#include "platform/machine_description.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::platform {
namespace {

BOOST_AUTO_TEST_SUITE(machine_description)

BOOST_AUTO_TEST_CASE(all_machines_that_come_with_troupe_are_read) {
  for (const std::string& name : known_machines()) {
    const auto machine = load_machine(name);
    BOOST_REQUIRE_MESSAGE(machine.ok(), (machine.ok() ? "" : machine.failure().message));
    BOOST_TEST(machine.value().name == name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::platform
