#include "platform/machine/cpu_set.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(cpu_set)

namespace {

BOOST_AUTO_TEST_CASE(list_notation_is_read_and_written) {
  const auto set = parse_cpu_set("0-3,8");
  BOOST_TEST_REQUIRE(set.ok());
  BOOST_TEST(set.value() == (CpuSet{0, 1, 2, 3, 8}), boost::test_tools::per_element());
  BOOST_TEST(to_string(set.value()) == "0-3,8");
}

BOOST_AUTO_TEST_CASE(order_overlap_and_blanks_do_not_matter) {
  const auto set = parse_cpu_set(" 8, 2-3 ,1 - 2\n");
  BOOST_TEST_REQUIRE(set.ok());
  BOOST_TEST(to_string(set.value()) == "1-3,8");
}

BOOST_AUTO_TEST_CASE(what_is_no_list_is_refused_and_quoted) {
  for (const std::string text :
       {"", " ", ",", "1,", "a", "1-", "-1", "3-1", "1-2-3", "0x3", "1.5", "65536", "0-4000000000", "99999999999"}) {
    BOOST_TEST_CONTEXT("text: \"" << text << '"') {
      const auto set = parse_cpu_set(text);
      BOOST_TEST_REQUIRE(!set.ok());
      BOOST_TEST((set.failure().code == ErrorCode::invalid_argument));
      BOOST_TEST(tests::contains(set.failure().message, '"' + text + '"'));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_empty_set_has_a_name) { BOOST_TEST(to_string(CpuSet{}) == "none"); }

BOOST_AUTO_TEST_CASE(sets_are_intersected_and_searched) {
  BOOST_TEST(to_string(intersection({0, 1, 5, 9}, {1, 2, 9, 12})) == "1,9");
  BOOST_TEST(contains({1, 9}, 9));
  BOOST_TEST(!contains({1, 9}, 5));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
