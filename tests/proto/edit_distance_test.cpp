#include "proto/edit_distance.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace troupe {

BOOST_AUTO_TEST_SUITE(edit_distances)

BOOST_AUTO_TEST_CASE(count_letters_to_add_drop_or_exchange) {
  BOOST_TEST(edit_distance("cpu_us", "cpu_us") == 0U);
  BOOST_TEST(edit_distance("cpu_uss", "cpu_us") == 1U);
  BOOST_TEST(edit_distance("cpuus", "cpu_us") == 1U);
  BOOST_TEST(edit_distance("gpu_us", "cpu_us") == 1U);
  BOOST_TEST(edit_distance("", "tile") == 4U);
  BOOST_TEST(edit_distance("tile", "") == 4U);
  BOOST_TEST(edit_distance("kitten", "sitting") == 3U);
  BOOST_TEST(edit_distance("tiel", "tile") == 1U);
  BOOST_TEST(edit_distance("itel", "tile") == 2U);
}

BOOST_AUTO_TEST_CASE(the_name_that_was_meant_is_found) {
  const std::vector<std::string> names{"run", "solve", "simulate", "info", "why", "top", "--n"};
  BOOST_TEST(nearest_name("rnu", names) == "run");
  BOOST_TEST(nearest_name("Simulat", names) == "simulate");
  // Three of the eight letters of "simulate" would have to change.
  BOOST_TEST(nearest_name("simulation", names).empty());
  BOOST_TEST(nearest_name("nonsense", names).empty());
  BOOST_TEST(nearest_name("foo", names).empty());  // Two of the three letters of "top" would have to change.
  BOOST_TEST(nearest_name("tpo", names) == "top");
  BOOST_TEST(nearest_name("", names).empty());
  BOOST_TEST(did_you_mean("sovle", names) == "; did you mean solve?");
  BOOST_TEST(did_you_mean(std::string(1000, 'x'), names).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
