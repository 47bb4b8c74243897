#include "platform/machine/account_names.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(account_names)

BOOST_AUTO_TEST_CASE(who_is_known_has_a_name) {
  BOOST_TEST(user_name(0) == "root");
  BOOST_TEST(group_name(0) == "root");
}

BOOST_AUTO_TEST_CASE(who_is_not_known_has_a_number) {
  BOOST_TEST(user_name(3999999999) == "3999999999");
  BOOST_TEST(group_name(3999999998) == "3999999998");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
