#include "traces/picture/picture_rectangles.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(picture_rectangles)

namespace {

constexpr double kTolerance = 1e-9;

Picture two_workers() {
  Picture picture;
  picture.workers = {"core 0", "core 1"};
  return picture;
}

/// Returns the time that each legend entry covers in the row of a worker.
std::map<std::size_t, double> covered(const std::vector<PictureRectangle>& drawn, std::size_t worker) {
  std::map<std::size_t, double> time;
  for (const auto& rectangle : drawn) {
    if (rectangle.worker == worker) time[rectangle.legend] += rectangle.end_s - rectangle.start_s;
  }
  return time;
}

BOOST_AUTO_TEST_CASE(long_tasks_are_drawn_one_by_one) {
  Picture picture = two_workers();
  picture.spans = {{0, "a", 0, 4}, {0, "a", 4, 10}, {1, "b", 2, 8}};
  const auto summary = summarize(picture);
  BOOST_TEST_REQUIRE(summary.ok());
  const auto drawn = rectangles(picture, summary.value(), 1.0);
  BOOST_TEST_REQUIRE(drawn.size() == 3U);
  BOOST_TEST(drawn[1].start_s == 4.0);
  BOOST_TEST(drawn[1].end_s == 10.0);
  BOOST_TEST(drawn[1].one_task);
  BOOST_TEST(drawn[2].worker == 1U);
}

BOOST_AUTO_TEST_CASE(short_tasks_are_merged_and_idle_time_stays_visible) {
  Picture picture = two_workers();
  // Spans of 0.1 s with and without work alternate. A step of the picture is 1 s.
  for (int i = 0; i < 1000; ++i) picture.spans.push_back({0, "a", 0.2 * i, 0.2 * i + 0.1});
  const auto summary = summarize(picture);
  BOOST_TEST_REQUIRE(summary.ok());
  const auto drawn = rectangles(picture, summary.value(), 1.0);
  BOOST_TEST(drawn.size() <= 200U);
  BOOST_TEST(std::abs(covered(drawn, 0)[0] - 100) <= 1.0);
}

/// For each legend entry, the covered time must be the time of its tasks. The error is at most one step for each wide
/// task and one step at the end.
BOOST_AUTO_TEST_CASE(colours_cover_their_share_of_the_time) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::exponential_distribution<double> length(1.0);
    Picture picture = two_workers();
    double now = 0;
    while (now < 1000) {
      const double end = now + length(random) * 0.3;
      picture.spans.push_back({1, std::string(1, static_cast<char>('a' + random() % 4)), now, end});
      now = random() % 3 == 0 ? end + length(random) * 0.5 : end;
    }
    const auto summary = summarize(picture);
    BOOST_TEST_REQUIRE(summary.ok());
    const auto drawn = rectangles(picture, summary.value(), 1.0);
    auto time = covered(drawn, 1);
    BOOST_TEST(drawn.size() <= 1001U);
    for (std::size_t i = 0; i < summary.value().legend.size(); ++i) {
      BOOST_TEST_CONTEXT("seed " << seed << ", colour " << i) {
        BOOST_TEST(std::abs(time[i] - summary.value().legend[i].busy_s) <= 2.0);
      }
    }
    BOOST_TEST(covered(drawn, 0).empty());
  }
}

BOOST_AUTO_TEST_CASE(tasks_on_clusters_are_as_high_as_what_they_used) {
  Picture picture = two_workers();
  picture.cores = {4, 1};
  picture.spans = {
      {0, "a", 0, 10, 0.25}, {0, "a", 10, 20, 1}, {0, "b", 20, 21, 0.5}, {0, "b", 21, 22, 1}, {1, "a", 0, 9}};
  const auto summary = summarize(picture);
  BOOST_TEST_REQUIRE(summary.ok());
  int short_ones = 0;
  for (const auto& rectangle : rectangles(picture, summary.value(), 1.0)) {
    if (rectangle.worker == 1) BOOST_TEST(rectangle.used == 1);
    if (rectangle.worker == 0 && rectangle.one_task) BOOST_TEST(rectangle.used == (rectangle.start_s < 10 ? 0.25 : 1));
    // A column of pixels for several tasks shows the mean of their values.
    if (!rectangle.one_task) BOOST_TEST(rectangle.used == 0.75);
    short_ones += rectangle.one_task ? 0 : 1;
  }
  BOOST_TEST(short_ones > 0);
}

BOOST_AUTO_TEST_CASE(rectangles_of_merged_tasks_do_not_overlap) {
  Picture picture = two_workers();
  for (int i = 0; i < 5000; ++i) picture.spans.push_back({0, i % 2 == 0 ? "a" : "b", 0.01 * i, 0.01 * (i + 1)});
  const auto summary = summarize(picture);
  BOOST_TEST_REQUIRE(summary.ok());
  double end_s = 0;
  for (const auto& rectangle : rectangles(picture, summary.value(), 0.5)) {
    BOOST_TEST(rectangle.start_s >= end_s - kTolerance);
    BOOST_TEST(rectangle.end_s > rectangle.start_s);
    end_s = rectangle.end_s;
  }
  BOOST_TEST(end_s <= 50 + kTolerance);
}

BOOST_AUTO_TEST_CASE(nothing_ran_gives_nothing_to_draw) {
  Picture picture = two_workers();
  picture.spans = {{0, "a", 0, 0}};
  const auto summary = summarize(picture);
  BOOST_TEST_REQUIRE(summary.ok());
  BOOST_TEST(rectangles(picture, summary.value(), 1.0).empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
