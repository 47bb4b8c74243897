#include "actors/workers/deciding/taken_tasks.hpp"

#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/loose_tasks.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(taken_tasks)

namespace {

using Order = std::vector<std::uint64_t>;
const auto kEach = boost::test_tools::per_element();

/// Tasks that were taken in the order of their indices; none has its data yet.
struct Taken {
  explicit Taken(std::size_t count, bool urgent_first = true) : loose(count), tasks(count, urgent_first) {
    for (std::size_t i = 0; i < count; ++i) tasks.add({loose(i)});
  }
  /// Takes one task after the other among those that may start now: those with their data.
  Order start() {
    Order order;
    while (const auto next = tasks.take_next(&TakenTask::acquired)) order.push_back(next->task->id);
    return order;
  }

  tests::LooseTasks loose;
  TakenTasks tasks;
};

BOOST_AUTO_TEST_CASE(tasks_start_in_the_order_in_which_their_data_arrive) {
  Taken taken(4);
  taken.tasks.acquired(*taken.loose(2));
  taken.tasks.acquired(*taken.loose(0));
  taken.tasks.acquired(*taken.loose(3));
  BOOST_TEST(taken.start() == (Order{2, 0, 3}), kEach);
  BOOST_TEST(taken.tasks.size() == 1U);
  BOOST_TEST(!taken.tasks.any_acquired());
}

BOOST_AUTO_TEST_CASE(the_most_urgent_task_starts_first_where_that_is_asked_for) {
  for (const bool urgent_first : {true, false}) {
    Taken taken(3, urgent_first);
    for (std::size_t i = 0; i < 3; ++i) taken.tasks.acquired(*taken.loose(i, i == 1 ? 5 : 0));
    BOOST_TEST(taken.start() == (urgent_first ? Order{1, 0, 2} : Order{0, 1, 2}), kEach);
  }
}

BOOST_AUTO_TEST_CASE(a_task_that_holds_commute_locks_starts_before_more_urgent_tasks) {
  Taken taken(2);
  taken.loose(0)->commute.holds = true;
  taken.tasks.acquired(*taken.loose(1, 9));
  taken.tasks.acquired(*taken.loose(0));
  BOOST_TEST(taken.start() == (Order{0, 1}), kEach);
}

BOOST_AUTO_TEST_CASE(a_task_that_may_not_start_keeps_its_place) {
  Taken taken(3);
  for (std::size_t i = 0; i < 3; ++i) taken.tasks.acquired(*taken.loose(i));
  const auto second = taken.tasks.take_next([&](const TakenTask& one) { return one.task != taken.loose(0); });
  BOOST_TEST_REQUIRE(second.has_value());
  BOOST_TEST(second->task == taken.loose(1));
  BOOST_TEST(taken.start() == (Order{0, 2}), kEach);
  BOOST_TEST(!taken.tasks.take_next([](const TakenTask&) { return true; }).has_value());
}

BOOST_AUTO_TEST_CASE(a_task_whose_data_have_arrived_waits_for_them_no_more) {
  Taken taken(2);
  taken.tasks.acquired(*taken.loose(0));
  BOOST_TEST(!taken.tasks.take_waiting(*taken.loose(0)).has_value());
  BOOST_TEST(taken.tasks.take_waiting(*taken.loose(1)).has_value());
  BOOST_TEST(!taken.tasks.take_waiting(*taken.loose(1)).has_value());
  // Data of a task that is not there may arrive, too.
  taken.tasks.acquired(*taken.loose(1));
  BOOST_TEST(taken.start() == (Order{0}), kEach);
}

BOOST_AUTO_TEST_CASE(tasks_are_taken_out_from_both_ends) {
  Taken taken(3);
  BOOST_TEST(taken.tasks.take_last()->task == taken.loose(2));
  BOOST_TEST(taken.tasks.take_first([](const TakenTask&) { return true; })->task == taken.loose(0));
  BOOST_TEST(!taken.tasks.take_first(&TakenTask::acquired).has_value());
  BOOST_TEST(taken.tasks.take_last()->task == taken.loose(1));
  BOOST_TEST(!taken.tasks.take_last().has_value());
  BOOST_TEST(taken.tasks.empty());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
