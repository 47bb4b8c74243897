#include "actors/observation/latency_histogram.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <limits>
#include <thread>
#include <vector>

namespace troupe::observation {

BOOST_AUTO_TEST_SUITE(latency_histogram)

namespace {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(an_empty_one_is_all_zero) {
  const LatencyHistogram histogram;
  const LatencySummary summary = histogram.summary();
  BOOST_TEST(summary.count == 0U);
  BOOST_TEST(summary.p99.count() == 0);
  BOOST_TEST(summary.max.count() == 0);
  BOOST_TEST(summary.mean.count() == 0);
}

BOOST_AUTO_TEST_CASE(the_buckets_cover_everything_in_order_and_an_eighth_wide) {
  std::uint64_t first = 0;
  for (std::size_t bucket = 0; bucket + 1 < LatencyHistogram::kBuckets; ++bucket) {
    const std::uint64_t last = LatencyHistogram::last_of(bucket);
    BOOST_TEST_REQUIRE(last >= first);
    BOOST_TEST_REQUIRE(LatencyHistogram::bucket_of(first) == bucket);
    BOOST_TEST_REQUIRE(LatencyHistogram::bucket_of(last) == bucket);
    BOOST_TEST_REQUIRE(last - first <= first / 8);
    first = last + 1;
  }
  BOOST_TEST(first == std::uint64_t{1} << LatencyHistogram::kLargestPower);
  BOOST_TEST(LatencyHistogram::bucket_of(first) == LatencyHistogram::kBuckets - 1);
  BOOST_TEST(LatencyHistogram::bucket_of(std::numeric_limits<std::uint64_t>::max()) == LatencyHistogram::kBuckets - 1);
}

BOOST_AUTO_TEST_CASE(percentiles_of_known_data_are_at_most_an_eighth_too_large) {
  LatencyHistogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.note(Duration(i * 100));
  const LatencySummary summary = histogram.summary();
  BOOST_TEST(summary.count == 1000U);
  const auto near = [](Duration found, std::int64_t exact) {
    return found.count() >= exact && found.count() <= exact + exact / 8;
  };
  BOOST_TEST(near(summary.p50, 50'000));
  BOOST_TEST(near(summary.p90, 90'000));
  BOOST_TEST(near(summary.p99, 99'000));
  BOOST_TEST(summary.max.count() == 100'000);
  BOOST_TEST(summary.mean.count() == 50'050);
}

BOOST_AUTO_TEST_CASE(one_outlier_in_a_hundred_is_the_maximum_and_no_percentile) {
  LatencyHistogram histogram;
  for (int i = 0; i < 99; ++i) histogram.note(5ns);
  histogram.note(3s);
  const LatencySummary summary = histogram.summary();
  BOOST_TEST(summary.p50.count() == 5);
  BOOST_TEST(summary.p99.count() == 5);
  BOOST_TEST((summary.max == 3s));
}

BOOST_AUTO_TEST_CASE(extremes_are_counted_and_no_percentile_exceeds_the_maximum) {
  LatencyHistogram histogram;
  histogram.note(Duration(-5));
  BOOST_TEST(histogram.summary().max.count() == 0);
  histogram.note(24h);
  histogram.note(48h);
  const LatencySummary summary = histogram.summary();
  BOOST_TEST(summary.count == 3U);
  BOOST_TEST((summary.max == 48h));
  BOOST_TEST((summary.p99 == 48h));
  BOOST_TEST((summary.p50 <= summary.p90 && summary.p90 <= summary.p99));
}

BOOST_AUTO_TEST_CASE(threads_that_note_at_once_lose_nothing) {
  LatencyHistogram histogram;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&histogram, t] {
      for (int i = 0; i < 20'000; ++i) histogram.note(Duration(i % 1000 + t));
    });
  }
  std::uint64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t count = histogram.summary().count;
    BOOST_TEST_REQUIRE(count >= last);
    last = count;
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(histogram.summary().count == 80'000U);
  BOOST_TEST(histogram.summary().max.count() == 1002);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::observation
