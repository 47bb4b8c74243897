// Tests that a worker wakes another worker if it has, or has seen, more work than it can do.
#include <boost/test/unit_test.hpp>

#include "tests/actors/workers/core_fixture.hpp"
#include "tests/actors/workers/steal_plans.hpp"

namespace troupe::workers {

namespace worker_core_waking {

using graph::TaskList;
using tests::kFirst;
using tests::kSecond;
using tests::Lines;
using tests::nobody_steals;
using Fixture = tests::CoreFixture;
const auto kPerElement = boost::test_tools::per_element();

}  // namespace worker_core_waking

BOOST_FIXTURE_TEST_SUITE(worker_core_waking, Fixture)

BOOST_AUTO_TEST_CASE(whoever_starts_a_task_and_has_more_wakes_one_sleeper) {
  crew.idle.insert(kSecond);
  crew.idle.insert(WorkerId(2));
  for (const char* name : {"a", "b", "c"}) deque(kFirst).push(task(name));
  BOOST_TEST(steps() == (Lines{"wake 1", "start c"}), kPerElement);
  BOOST_TEST(crew.idle.contains(WorkerId(2)));
}

BOOST_AUTO_TEST_CASE(a_thief_that_leaves_some_wakes_one_sleeper) {
  crew.idle.insert(WorkerId(2));
  for (const char* name : {"a", "b"}) deque(kSecond).push(task(name));
  BOOST_TEST(steps() == (Lines{"steal from 1"}), kPerElement);
  TaskList stolen = take_half(crew, kSecond);
  core.steal_answered(kSecond, stolen);
  // The victim is busy and has one task left, and the thief has no other task. So the thief wakes worker 2.
  BOOST_TEST(steps() == (Lines{"wake 2", "start a"}), kPerElement);
  crew.idle.insert(WorkerId(2));
  core.task_ended(*started.front(), nullptr);
  BOOST_TEST(steps() == (Lines{"steal from 1"}), kPerElement);
  stolen = take_half(crew, kSecond);
  core.steal_answered(kSecond, stolen);
  BOOST_TEST(steps() == (Lines{"start b"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(whoever_starts_the_last_task_wakes_nobody) {
  crew.idle.insert(kSecond);
  deque(kFirst).push(task("a"));
  BOOST_TEST(steps() == (Lines{"start a"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(where_nobody_steals_own_tasks_wake_nobody_but_entered_ones_do) {
  Fixture run(nobody_steals(4));
  run.crew.idle.insert(kSecond);
  for (const char* name : {"a", "b"}) run.deque(kFirst).push(run.task(name));
  BOOST_TEST(run.steps() == (Lines{"start b"}), kPerElement);
  Fixture other(nobody_steals(4));
  other.crew.idle.insert(kSecond);
  for (const char* name : {"a", "b"}) other.crew.entry.push(other.task(name));
  BOOST_TEST(other.steps() == (Lines{"wake 1", "start a"}), kPerElement);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
