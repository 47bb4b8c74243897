#include "apps/bounds/linear_program.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace troupe::apps {
namespace {

using Term = LinearProgram::Term;
using Sense = LinearProgram::Sense;

BOOST_AUTO_TEST_SUITE(linear_program, *boost::unit_test::tolerance(1e-9))

// The program minimizes 3 a + 2 b with a + b >= 4, a >= b + 1, a <= 10 and b <= 10. The solution is a = 2.5, b = 1.5.
BOOST_AUTO_TEST_CASE(the_minimum_and_its_bound_agree) {
  LinearProgram program;
  const int a = program.add_column(3, 10);
  const int b = program.add_column(2, 10);
  program.add_row(Sense::at_least, 4, std::vector<Term>{{a, 1}, {b, 1}});
  program.add_row(Sense::at_most, -1, std::vector<Term>{{a, -1}, {b, 1}});
  BOOST_TEST(program.solve());
  BOOST_TEST(program.value(a) == 2.5);
  BOOST_TEST(program.value(b) == 1.5);
  BOOST_TEST(program.lower_bound() == 10.5);
}

BOOST_AUTO_TEST_CASE(rows_and_columns_may_come_after_solving) {
  LinearProgram program;
  const int a = program.add_column(1, 10);
  program.add_row(Sense::at_least, 2, std::vector<Term>{{a, 1}});
  BOOST_TEST(program.solve());
  BOOST_TEST(program.lower_bound() == 2.0);
  const int b = program.add_column(0, 3);
  program.add_row(Sense::equal, 7, std::vector<Term>{{a, 1}, {b, 1}});
  BOOST_TEST(program.solve());
  BOOST_TEST(program.value(b) == 3.0);
  BOOST_TEST(program.lower_bound() == 4.0);
}

BOOST_AUTO_TEST_CASE(a_bound_of_a_column_counts) {
  LinearProgram program;
  program.add_column(-2, 5);
  BOOST_TEST(program.lower_bound() == -10.0);
  BOOST_TEST(program.solve());
  BOOST_TEST(program.lower_bound() == -10.0);
}

BOOST_AUTO_TEST_CASE(what_nothing_fulfils_is_said_to_be_unsolved) {
  LinearProgram program;
  const int a = program.add_column(1, 1);
  program.add_row(Sense::at_least, 2, std::vector<Term>{{a, 1}});
  BOOST_TEST(!program.solve());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::apps
