#include "traces/text/table.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(table)

namespace {

BOOST_AUTO_TEST_CASE(aligns_words_left_and_numbers_right) {
  Table table({"worker", ">tasks", "note"});
  table.add_row({"core 0", "816", "x"});
  table.add_row({"core 10", "7", ""});
  BOOST_TEST(table.text() ==
             "worker   tasks  note\n"
             "-------  -----  ----\n"
             "core 0     816  x\n"
             "core 10      7\n");
}

BOOST_AUTO_TEST_CASE(indents_every_line_and_draws_rules) {
  Table table({">a"});
  table.add_row({"10"});
  table.add_rule();
  table.add_row({"10"});
  BOOST_TEST(table.text(2) == "   a\n  --\n  10\n  --\n  10\n");
}

BOOST_AUTO_TEST_CASE(counts_code_points_not_bytes) {
  Table table({"name", ">n"});
  table.add_row({"é", "1"});
  BOOST_TEST(table.text() == "name  n\n----  -\né     1\n");
}

BOOST_AUTO_TEST_CASE(accepts_rows_of_another_length_and_line_breaks) {
  Table table({"a", "b"});
  table.add_row({});
  table.add_row({"1\n2", "x", "dropped"});
  BOOST_TEST(table.text() == "a    b\n---  -\n\n1 2  x\n");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
