#include "traces/picture/picture_summary.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "tests/support/temporary_folder.hpp"
#include "tests/traces/files/trace_sample.hpp"

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(picture_summary)

namespace {

void refuses(const Picture& picture, std::string_view part) {
  const auto summary = summarize(picture);
  BOOST_TEST_REQUIRE(!summary.ok());
  BOOST_TEST((summary.failure().code == ErrorCode::invalid_argument));
  BOOST_TEST_CONTEXT(summary.failure().message) BOOST_TEST(tests::contains(summary.failure().message, part));
}

BOOST_AUTO_TEST_CASE(legend_is_sorted_by_time_then_name) {
  Picture picture;
  picture.workers = {"core 0"};
  picture.spans = {{0, "b", 0, 1}, {0, "long", 1, 5}, {0, "a", 5, 6}};
  const auto summary = summarize(picture);
  BOOST_TEST_REQUIRE(summary.ok());
  const auto& legend = summary.value().legend;
  BOOST_TEST_REQUIRE(legend.size() == 3U);
  BOOST_TEST(legend[0].name == "long");
  BOOST_TEST(legend[1].name == "a");
  BOOST_TEST(legend[2].name == "b");
  BOOST_TEST(summary.value().legend_index == (std::vector<std::size_t>{2, 0, 1}), boost::test_tools::per_element());
  BOOST_TEST(summary.value().end_s == 6.0);
}

BOOST_AUTO_TEST_CASE(too_many_codelets_share_the_last_entry) {
  Picture picture;
  picture.workers = {"core 0"};
  for (int i = 0; i < 20; ++i) picture.spans.push_back({0, "k" + std::to_string(i), 0, 100.0 - i});
  const auto summary = summarize(picture);
  BOOST_TEST_REQUIRE(summary.ok());
  BOOST_TEST_REQUIRE(summary.value().legend.size() == kMostCodelets);
  BOOST_TEST(summary.value().legend.back().name == "9 others");
  BOOST_TEST(summary.value().legend.back().tasks == 9U);
  BOOST_TEST(summary.value().legend_index.back() == kMostCodelets - 1);
}

BOOST_AUTO_TEST_CASE(a_task_that_waits_in_its_kernel_counts_once_and_is_not_busy_meanwhile) {
  const Picture picture = picture_of(tests::nested_trace(), {"a run", {"core 0", "core 1"}, {}});
  const auto summary = summarize(picture);
  BOOST_TEST_REQUIRE(summary.ok());
  BOOST_TEST(summary.value().workers[0].tasks == 4U);
  BOOST_TEST(summary.value().workers[0].busy_s == 53e-6, boost::test_tools::tolerance(1e-9));
  for (const LegendEntry& entry : summary.value().legend) {
    if (entry.name != "sort") continue;
    BOOST_TEST(entry.tasks == 1U);
    BOOST_TEST(entry.busy_s == 18e-6, boost::test_tools::tolerance(1e-9));
  }
}

BOOST_AUTO_TEST_CASE(a_worker_is_busy_once_however_many_tasks_overlap) {
  Picture picture;
  picture.workers = {"core 0", "core 1"};
  picture.spans = {{0, "a", 2, 4}, {0, "a", 0, 3}, {0, "a", 1, 2}, {0, "a", 6, 7}};
  const auto summary = summarize(picture);
  BOOST_TEST_REQUIRE(summary.ok());
  BOOST_TEST(summary.value().workers[0].busy_s == 5.0);
  BOOST_TEST(summary.value().workers[0].tasks == 4U);
  BOOST_TEST(summary.value().workers[1].tasks == 0U);
}

BOOST_AUTO_TEST_CASE(refuses_what_makes_no_sense) {
  Picture picture;
  refuses(picture, "at least one worker");
  picture.workers.assign(10'000, "w");
  refuses(picture, "too many");
  picture.workers = {"core 0"};
  picture.spans = {{1, "a", 0, 1}};
  refuses(picture, "worker 1");
  picture.spans = {{0, "a", 2, 1}};
  refuses(picture, "'a'");
  picture.spans = {{0, "a", -1, 1}};
  refuses(picture, "-1");
  picture.spans = {{0, "a", std::numeric_limits<double>::quiet_NaN(), 1}};
  refuses(picture, "nan");
  picture.spans = {{0, "a", 0, std::numeric_limits<double>::infinity()}};
  refuses(picture, "inf");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
