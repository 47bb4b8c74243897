#include "service/views/harmless_text.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(text_of_others)

namespace {

BOOST_AUTO_TEST_CASE(reaches_a_terminal_as_it_is) {
  for (const char* text : {"", "solver 7", "gr\xc3\xbc\xc3\x9f", "\xe2\x82\xac 5", "\xe2\x80\x94", "two\nlines"}) {
    BOOST_TEST(harmless(text) == text);
  }
}

BOOST_AUTO_TEST_CASE(controls_nothing_and_turns_nothing_round) {
  BOOST_TEST(harmless("a\x1B[2Jb\x7F") == "a?[2Jb?");
  BOOST_TEST(harmless("a\xc2\x9b"
                      "b") == "a?b");
  // These are separators of lines and paragraphs, and characters that change the direction of text.
  for (const char* one : {"\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa",
                          "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9", "\xd8\x9c"}) {
    BOOST_TEST(harmless("a" + std::string(one) + "b") == "a?b");
  }
  BOOST_TEST(harmless("\xe2\x80") == "\xe2\x80");
}

BOOST_AUTO_TEST_CASE(is_escaped_where_it_is_json) {
  BOOST_TEST(harmless_json("\"a\xc2\x9b") == "\"a\\u009b");
  BOOST_TEST(harmless_json("\xe2\x80\xaegr\xc3\xbc\xc3\x9f\x7f") == "\\u202egr\xc3\xbc\xc3\x9f\\u007f");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
