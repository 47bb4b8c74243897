#include "opencl/splitting/kernel_speeds.hpp"

#include <array>
#include <boost/test/unit_test.hpp>

namespace troupe::opencl {

struct SpeedsFixture {
  static constexpr std::size_t kItems = 1'000'000;
  static constexpr std::array kBoth{3, 5};

  [[nodiscard]] KernelSpeeds::Choice choose(double merging = 0) { return speeds.choose(kItems, kBoth, merging); }
  /// Reports two whole launches on device 3 and two slices of launches on device 5. The times are in nanoseconds per
  /// work-item.
  void know(double whole, double slice) {
    for (int i = 0; i < 2; ++i) {
      speeds.took_whole(3, kItems, whole * kItems);
      speeds.took_slice(kItems, 5, kItems / 10, slice * kItems / 10);
    }
  }

  KernelSpeeds speeds{0};
};

BOOST_FIXTURE_TEST_SUITE(opencl_kernel_speeds, SpeedsFixture)

BOOST_AUTO_TEST_CASE(what_was_never_launched_is_not_split) { BOOST_TEST(choose().fractions.empty()); }

BOOST_AUTO_TEST_CASE(what_has_not_run_for_long_is_not_built_for_parts) {
  KernelSpeeds young;
  const auto run = [&](double time) {
    young.took_whole(5, kItems, time);
    return !young.choose(kItems, kBoth, 0).fractions.empty();
  };
  BOOST_TEST(!run(100e6));
  BOOST_TEST(!run(100e6));
  BOOST_TEST(run(101e6));
}

BOOST_AUTO_TEST_CASE(a_device_that_is_not_known_gets_a_small_share) {
  speeds.took_whole(5, kItems, 100e6);
  const KernelSpeeds::Choice choice = choose();
  BOOST_TEST(choice.trial);
  BOOST_TEST_REQUIRE(choice.fractions.size() == 2);
  BOOST_TEST(choice.fractions[0] > 0.001);
  BOOST_TEST(choice.fractions[0] < 0.01);
  BOOST_TEST(choice.fractions[0] + choice.fractions[1] == 1, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(what_is_short_is_not_split) {
  speeds.took_whole(3, kItems, 0.9e6);
  BOOST_TEST(choose().fractions.empty());
}

BOOST_AUTO_TEST_CASE(shares_are_as_the_speeds) {
  know(30, 90);
  const KernelSpeeds::Choice choice = choose();
  BOOST_TEST(!choice.trial);
  BOOST_TEST_REQUIRE(choice.fractions.size() == 2);
  BOOST_TEST(choice.fractions[0] == 0.75, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(choice.fractions[1] == 0.25, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(what_a_small_part_has_shown_is_forgotten_when_more_is_known) {
  know(30, 30);
  // A small slice may have needed less work per item, so its time does not count.
  speeds.took_slice(kItems, 5, kItems / 100, 3 * kItems / 100);
  BOOST_TEST(choose().fractions[1] == 0.5, boost::test_tools::tolerance(1e-9));
  KernelSpeeds other{0};
  other.took_whole(3, kItems, 30 * kItems);
  other.took_slice(kItems, 5, kItems / 100, 3 * kItems / 100);
  BOOST_TEST(other.choose(kItems, kBoth, 0).fractions[1] > 0.9);
  other.took_slice(kItems, 5, kItems / 2, 30 * kItems / 2);
  BOOST_TEST(other.choose(kItems, kBoth, 0).fractions[1] == 0.5, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(launches_in_which_a_driver_compiles_do_not_count) {
  know(30, 30);
  for (const int device : kBoth) speeds.took_slice(4 * kItems, device, 2 * kItems, 900e6);
  speeds.took_whole(3, 4 * kItems, 120e6);
  speeds.took_split(4 * kItems, 900e6);
  BOOST_TEST(speeds.choose(4 * kItems, kBoth, 0).fractions.size() == 2);
  for (const int device : kBoth) speeds.took_slice(4 * kItems, device, 2 * kItems, 60e6);
  for (int i = 0; i < 3; ++i) speeds.took_split(4 * kItems, 61e6);
  BOOST_TEST(speeds.choose(4 * kItems, kBoth, 0).fractions.size() == 2);
}

BOOST_AUTO_TEST_CASE(a_device_that_is_no_help_gets_nothing) {
  know(30, 3000);
  BOOST_TEST(choose().fractions.empty());
}

BOOST_AUTO_TEST_CASE(what_merging_costs_more_than_splitting_brings_is_not_split) {
  know(30, 30);
  // The slices take 15 ms instead of 30 ms. Merging their results may take 9 ms more, but not 11 ms.
  BOOST_TEST(choose(9e6).fractions.size() == 2);
  BOOST_TEST(choose(11e6).fractions.empty());
}

BOOST_AUTO_TEST_CASE(launches_of_another_size_are_learned_on_their_own) {
  know(30, 30);
  BOOST_TEST(speeds.choose(4 * kItems, kBoth, 0).fractions.empty());
}

BOOST_AUTO_TEST_CASE(what_did_not_pay_is_not_done_for_a_while_and_then_tried_again) {
  know(30, 30);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(choose().fractions.size() == 2);
    speeds.took_split(kItems, 29e6);
  }
  std::size_t paused = 0;
  while (choose().fractions.empty() && paused < 1000) ++paused;
  BOOST_TEST(paused == 33);
  // After each failure, the pause before the next attempt becomes longer.
  for (int i = 0; i < 3; ++i) speeds.took_split(kItems, 29e6);
  paused = 0;
  while (choose().fractions.empty() && paused < 1000) ++paused;
  BOOST_TEST(paused == 65);
}

BOOST_AUTO_TEST_CASE(what_pays_goes_on_but_for_a_look_at_whole_launches) {
  know(30, 30);
  std::size_t whole = 0;
  for (int i = 0; i < 330; ++i) {
    if (choose().fractions.empty()) {
      ++whole;
    } else {
      speeds.took_split(kItems, 16e6);
    }
  }
  BOOST_TEST(whole == 10);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::opencl
