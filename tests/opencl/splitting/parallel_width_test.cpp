#include "opencl/splitting/parallel_width.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::opencl {

BOOST_AUTO_TEST_SUITE(opencl_parallel_width)

BOOST_AUTO_TEST_CASE(a_chain_is_as_wide_as_one_launch) {
  ParallelWidth width;
  std::uint64_t depth = 0;
  for (int i = 0; i < 10; ++i) {
    const ParallelWidth::Place place = width.begin(depth);
    BOOST_TEST(place.depth == depth + 1);
    BOOST_TEST(place.beside == 0U);
    depth = place.depth;
  }
}

BOOST_AUTO_TEST_CASE(launches_that_follow_none_are_side_by_side) {
  ParallelWidth width;
  BOOST_TEST(width.begin(0).beside == 0U);
  BOOST_TEST(width.begin(0).beside == 1U);
  const ParallelWidth::Place third = width.begin(0);
  BOOST_TEST(third.beside == 2U);
  width.end(third.depth);
  BOOST_TEST(width.begin(0).beside == 2U);
}

BOOST_AUTO_TEST_CASE(a_new_launch_is_beside_what_an_old_chain_has_come_to) {
  ParallelWidth width;
  std::uint64_t depth = 0;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = depth;
    depth = width.begin(depth).depth;
    if (before != 0) width.end(before);
  }
  BOOST_TEST(width.begin(0).beside == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::opencl
