#include "proto/edit_distance.hpp"

#include <boost/test/unit_test.hpp>

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
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
