#include "platform/accelerators/link_measurement.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <vector>

#include "platform/accelerators/emulated_accelerator.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(link_measurement)

namespace {

constexpr std::uint64_t kKiB = 1024;

BOOST_AUTO_TEST_CASE(a_line_through_two_sizes_gives_latency_and_rate) {
  using std::chrono::microseconds;
  const std::array<CopyTime, 2> times{{{{1'000'000}, microseconds(110)}, {{11'000'000}, microseconds(1110)}}};
  const CopySpeed speed = copy_speed_of(times);
  BOOST_TEST(speed.bytes_per_s == 1e10, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(speed.latency.count() == 10'000);
}

BOOST_AUTO_TEST_CASE(a_large_copy_that_was_no_slower_gives_a_rate_above_zero_and_no_latency_below) {
  using std::chrono::microseconds;
  const std::array<CopyTime, 2> times{{{{1'000'000}, microseconds(200)}, {{2'000'000}, microseconds(100)}}};
  const CopySpeed speed = copy_speed_of(times);
  BOOST_TEST(speed.bytes_per_s == 2e10, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(speed.latency.count() >= 0);
}

/// A copy must take at least the time that the options set. This time is long, and a busy machine only makes it longer.
BOOST_AUTO_TEST_CASE(an_emulated_accelerator_is_no_faster_than_it_was_set) {
  EmulationOptions options;
  options.memory = {2048 * kKiB};
  options.to_device_bytes_per_s = 1e8;
  const auto made = EmulatedAccelerator::make(0, options);
  BOOST_REQUIRE(made.ok());
  std::vector<std::byte> host(2048 * kKiB);
  const auto times = time_copies(*made.value(), CopyDirection::to_device, host);
  BOOST_REQUIRE(times.ok());
  BOOST_REQUIRE(times.value().size() == 2U);
  BOOST_TEST(times.value()[0].size.count == 64 * kKiB);
  for (const CopyTime& one : times.value()) {
    BOOST_TEST(seconds(one.time) >= static_cast<double>(one.size.count) / 1e8);
  }
  const auto back = time_copies(*made.value(), CopyDirection::to_host, host);
  BOOST_REQUIRE(back.ok());
  BOOST_TEST(copy_speed_of(back.value()).bytes_per_s > 0);
}

BOOST_AUTO_TEST_CASE(too_little_memory_says_nothing) {
  EmulationOptions options;
  options.memory = {kKiB};
  const auto made = EmulatedAccelerator::make(0, options);
  BOOST_REQUIRE(made.ok());
  std::vector<std::byte> host(256 * kKiB);
  BOOST_TEST(!time_copies(*made.value(), CopyDirection::to_device, host).ok());
}

BOOST_AUTO_TEST_CASE(a_copy_that_fails_is_reported) {
  EmulationOptions options;
  options.memory = {256 * kKiB};
  options.faults.copy = 1;
  const auto made = EmulatedAccelerator::make(0, options);
  BOOST_REQUIRE(made.ok());
  std::vector<std::byte> host(256 * kKiB);
  const auto times = time_copies(*made.value(), CopyDirection::to_device, host);
  BOOST_REQUIRE(!times.ok());
  BOOST_TEST((times.failure().code == ErrorCode::transfer_failed));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
