#include "traces/picture/gnuplot_text.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(gnuplot_text)

namespace {

BOOST_AUTO_TEST_CASE(strings_for_gnuplot_are_quoted) {
  BOOST_TEST(gnuplot_string("'it's'") == "'\xe2\x80\x99it\xe2\x80\x99s\xe2\x80\x99'");
  BOOST_TEST(gnuplot_string("a\nb\x7f") == "'a b '");
  BOOST_TEST(gnuplot_string("\xe2\x82") ==
             "'?"
             "?'");
  BOOST_TEST(gnuplot_string("\xed\xa0\x80") ==
             "'?"
             "?"
             "?'");
  BOOST_TEST(gnuplot_string("\xf0\x9f\x8e\xad") == "'\xf0\x9f\x8e\xad'");
}

BOOST_AUTO_TEST_CASE(long_text_is_cut_between_characters) {
  BOOST_TEST(abbreviated("abcd", 4) == "abcd");
  BOOST_TEST(abbreviated("abcde", 4) == "abcd...");
  BOOST_TEST(abbreviated("gr\xc3\xbc\xc3\x9f!", 4) == "gr\xc3\xbc\xc3\x9f...");
  BOOST_TEST(abbreviated("", 4).empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
