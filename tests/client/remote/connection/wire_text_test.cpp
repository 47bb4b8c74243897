#include "client/remote/connection/wire_text.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(wire_texts)

namespace {

using remote::wire_text;

BOOST_AUTO_TEST_CASE(text_stays_as_it_is) {
  for (const std::string text : {"", "gemm(3,1)", "größer", "日本語", "\xf0\x9f\x8e\xad"})
    BOOST_TEST(wire_text(text) == text);
}

BOOST_AUTO_TEST_CASE(what_is_no_text_becomes_question_marks) {
  BOOST_TEST(wire_text("a\nb\x7f") == "a?b?");
  BOOST_TEST(wire_text("\xff\xc0\xaf") == "???");
  BOOST_TEST(wire_text("\xe2\x82") == "??");
  BOOST_TEST(wire_text("\xed\xa0\x80") == "???");
  BOOST_TEST(wire_text("\xe0\x80\x80") == "???");
  BOOST_TEST(wire_text("\xf4\x90\x80\x80") == "????");
  BOOST_TEST(wire_text(std::string("\0x", 2)) == "?x");
}

BOOST_AUTO_TEST_CASE(what_is_too_long_is_cut_between_characters) {
  BOOST_TEST(wire_text(std::string(1000, 'x')) == std::string(256, 'x'));
  std::string umlauts;
  for (int i = 0; i < 200; ++i) umlauts += "ü";
  BOOST_TEST(wire_text("x" + umlauts).size() == 255U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
