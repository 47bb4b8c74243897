#include "graph/tasks/trace_log.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(trace_log)

namespace {

std::vector<int> content(const TraceLog<int>& log) {
  std::vector<int> entries;
  log.for_each([&](int entry) { entries.push_back(entry); });
  return entries;
}

BOOST_AUTO_TEST_CASE(keeps_entries_of_many_chunks_in_order) {
  TraceLog<int> log;
  const int count = 3 * static_cast<int>(TraceLog<int>::kChunk) + 7;
  for (int i = 0; i < count; ++i) BOOST_TEST_REQUIRE(log.add(i));
  BOOST_TEST(log.size() == static_cast<std::size_t>(count));
  const std::vector<int> entries = content(log);
  BOOST_TEST_REQUIRE(entries.size() == static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) BOOST_TEST_REQUIRE(entries[static_cast<std::size_t>(i)] == i);
  BOOST_TEST(log.dropped() == 0U);
}

BOOST_AUTO_TEST_CASE(an_empty_log_has_nothing) {
  const TraceLog<int> log;
  BOOST_TEST(log.size() == 0U);
  BOOST_TEST(content(log).empty());
}

BOOST_AUTO_TEST_CASE(fills_its_budget_to_the_last_entry_and_counts_what_is_lost) {
  TraceBudget budget(5000);
  TraceLog<int> log(&budget);
  for (int i = 0; i < 6000; ++i) log.add(i);
  BOOST_TEST(log.size() == 5000U);
  BOOST_TEST(log.dropped() == 1000U);
  BOOST_TEST(content(log).back() == 4999);
  BOOST_TEST(budget.left() == 0U);
}

BOOST_AUTO_TEST_CASE(the_first_log_leaves_room_for_others) {
  TraceBudget budget(100);
  TraceLog<int> first(&budget);
  TraceLog<int> second(&budget);
  first.add(1);
  BOOST_TEST(second.add(2));
  BOOST_TEST(budget.left() > 80U);
}

BOOST_AUTO_TEST_CASE(gives_its_room_back_when_it_ends) {
  TraceBudget budget(100);
  {
    TraceLog<int> log(&budget);
    for (int i = 0; i < 100; ++i) log.add(i);
    BOOST_TEST(budget.left() == 0U);
  }
  BOOST_TEST(budget.left() == 100U);
}

BOOST_AUTO_TEST_CASE(goes_on_empty_when_its_content_was_moved_out) {
  TraceBudget budget(100);
  TraceLog<int> log(&budget);
  for (int i = 0; i < 101; ++i) log.add(i);
  {
    const TraceLog<int> taken(std::move(log));
    BOOST_TEST(taken.size() == 100U);
    BOOST_TEST(taken.dropped() == 1U);
    BOOST_TEST(log.size() == 0U);     // NOLINT(bugprone-use-after-move): what the type promises
    BOOST_TEST(log.dropped() == 0U);  // NOLINT
    BOOST_TEST(!log.add(7));
  }
  BOOST_TEST(log.add(8));
  BOOST_TEST(content(log) == std::vector<int>{8}, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
