#include "opencl/splitting/range_slices.hpp"

#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>

namespace troupe::opencl {

namespace {

using Slices = std::vector<RangeSlice>;

}  // namespace

BOOST_AUTO_TEST_SUITE(opencl_range_slices)

BOOST_AUTO_TEST_CASE(devices_get_their_shares_in_turns) {
  const std::vector<double> shares{0.75, 0.25};
  BOOST_TEST((slices_of(64, 4, shares, 2) == Slices{{0, 0, 24}, {1, 24, 8}, {0, 32, 24}, {1, 56, 8}}));
}

BOOST_AUTO_TEST_CASE(borders_are_multiples_of_the_grain) {
  const std::vector<double> shares{0.5, 0.5};
  BOOST_TEST((slices_of(100, 64, shares, 1) == Slices{{0, 0, 64}, {1, 64, 36}}));
  BOOST_TEST(slices_of(60, 64, shares, 3).size() == 1);
}

BOOST_AUTO_TEST_CASE(a_small_share_is_a_grain) {
  BOOST_TEST((slices_of(64, 16, std::vector<double>{0.999, 0.001}, 1) == Slices{{0, 0, 48}, {1, 48, 16}}));
  BOOST_TEST((slices_of(64, 16, std::vector<double>{0.001, 0.999}, 1) == Slices{{0, 0, 16}, {1, 16, 48}}));
  BOOST_TEST((slices_of(20, 16, std::vector<double>{0.999, 0.001}, 1) == Slices{{0, 0, 16}, {1, 16, 4}}));
}

BOOST_AUTO_TEST_CASE(a_device_without_a_share_has_no_part) {
  const std::vector<double> shares{0.5, 0, 0.5};
  BOOST_TEST((slices_of(8, 1, shares, 1) == Slices{{0, 0, 4}, {2, 4, 4}}));
}

BOOST_AUTO_TEST_CASE(all_items_are_in_one_slice_whatever_the_shares) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> shares(1 + random() % 5);
    for (double& share : shares) share = static_cast<double>(random() % 1000) * static_cast<double>(random() % 2);
    shares.front() += 1;
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= sum;
    const std::size_t size = 1 + random() % 3000;
    const std::size_t grain = 1 + random() % 100;
    std::size_t next = 0;
    for (const RangeSlice& slice : slices_of(size, grain, shares, 1 + random() % 4)) {
      BOOST_TEST_REQUIRE(slice.first == next);
      BOOST_TEST_REQUIRE(slice.count > 0);
      BOOST_TEST_REQUIRE(slice.first % grain == 0);
      next += slice.count;
    }
    BOOST_TEST_REQUIRE(next == size);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::opencl
