#include "service/sessions/refused_tasks.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(refused_tasks)

namespace {

BOOST_AUTO_TEST_CASE(there_is_one_codelet_of_a_name_for_all_sessions) {
  RefusedTasks refused;
  const Codelet first = refused.codelet("fill");
  const Codelet again = refused.codelet("fill");
  const Codelet other = refused.codelet("unknown codelet");
  BOOST_TEST(&first.definition() == &again.definition());
  BOOST_TEST(&first.definition() != &other.definition());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
