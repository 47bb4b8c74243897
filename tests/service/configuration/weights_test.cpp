#include "service/configuration/weights.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(weights)

namespace {

BOOST_AUTO_TEST_CASE(users_come_before_groups_and_groups_before_the_rest) {
  // On every system, root is in the group root, and no user has the number 4000000000.
  const auto both = weights_of({.other = 0.5, .users = {{"root", 3}}, .groups = {{"root", 7}}}, nullptr);
  BOOST_TEST(both(0) == 3);
  BOOST_TEST(both(4000000000U) == 0.5);
  const auto group = weights_of({.other = 0.5, .users = {{"4000000000", 4}}, .groups = {{"root", 7}}}, nullptr);
  BOOST_TEST(group(0) == 7);
  BOOST_TEST(group(0) == 7);
  BOOST_TEST(group(4000000000U) == 4);
}

BOOST_AUTO_TEST_CASE(names_that_nobody_has_are_told_and_left_out) {
  std::string told;
  const auto weights =
      weights_of({.other = 1, .users = {{"no-such-user-here", 3}, {"root", 2}}, .groups = {{"no-such-group-here", 3}}},
                 [&](const std::string& unknown) { told += unknown + "\n"; });
  BOOST_TEST(tests::contains(told, "\"weights.users\": there is no user 'no-such-user-here'"));
  BOOST_TEST(tests::contains(told, "\"weights.groups\": there is no group 'no-such-group-here'"));
  BOOST_TEST(weights(0) == 2);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
