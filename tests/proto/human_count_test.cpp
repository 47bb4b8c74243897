#include "proto/human_count.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe {

BOOST_AUTO_TEST_SUITE(human_counts)

BOOST_AUTO_TEST_CASE(one_of_a_thing_is_not_several) {
  BOOST_TEST(counted(1, "GPU") == "1 GPU");
  BOOST_TEST(counted(0, "GPU") == "0 GPUs");
  BOOST_TEST(counted(1234567, "task") == "1,234,567 tasks");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
