#include "platform/files/json_place.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "tests/support/temporary_folder.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(json_place)

namespace {

using tests::contains;

std::string message_of(const std::string& text) {
  try {
    check_json(text);
  } catch (const Error& error) {
    BOOST_TEST((error.code() == ErrorCode::bad_input));
    return error.what();
  }
  return "taken";
}

BOOST_AUTO_TEST_CASE(json_is_taken) {
  for (const char* text : {"{}", "[1, 2.5, -3, true, null, \"x\", {\"a\": [[], {}]}]", " 7 \n"}) {
    BOOST_TEST(message_of(text) == "taken");
  }
}

BOOST_AUTO_TEST_CASE(a_text_that_ends_too_early_is_told_with_line_column_and_field) {
  const std::string message = message_of("{\"a\": 1,\n \"b\": [1, {\"c\": 2}, {\"d\"");
  for (const char* part : {"ends too early", "line 2, column 24", "b[2].d", "truncated"}) {
    BOOST_TEST(contains(message, part), message);
  }
  BOOST_TEST(contains(message_of("{\"a\": \"tex"), "in a: is the file truncated"));
  BOOST_TEST(contains(message_of(" \n\t"), "empty"));
  BOOST_TEST(contains(message_of(""), "empty"));
}

BOOST_AUTO_TEST_CASE(what_is_no_json_is_told_with_line_column_and_field) {
  const std::string message = message_of("{\"a\": [1, 2,\n  x]}");
  for (const char* part : {"line 2, column 3", "in a[2]", "not JSON", "invalid literal"}) {
    BOOST_TEST(contains(message, part), message);
  }
  BOOST_TEST(!contains(message, "json.exception"), message);
  BOOST_TEST(contains(message_of("name = idgraf"), "line 1, column 2: not JSON"));
  BOOST_TEST(contains(message_of("{} {}"), "not JSON"));
  BOOST_TEST(contains(message_of("{\"t\": NaN}"), "in t: not JSON"));
  BOOST_TEST(contains(message_of("{\"t\": -Infinity}"), "in t: not JSON"));
}

BOOST_AUTO_TEST_CASE(a_number_that_no_double_holds_is_told_with_its_field) {
  const std::string message = message_of("{\"a\": [{\"mean\": 1e999}]}");
  for (const char* part : {"a[0].mean", "1e999"}) BOOST_TEST(contains(message, part), message);
}

BOOST_AUTO_TEST_CASE(a_member_that_is_given_twice_is_told) {
  const std::string message = message_of("{\"a\": [{\"b\": 1, \"c\": 2, \"b\": 3}]}");
  BOOST_TEST(contains(message, "a[0].b is given twice"), message);
  BOOST_TEST(message_of("[{\"b\": 1}, {\"b\": 1}]") == "taken");
}

BOOST_AUTO_TEST_CASE(a_text_nested_without_end_is_refused) {
  BOOST_TEST(contains(message_of(std::string(1000000, '[')), "lie in one another"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
