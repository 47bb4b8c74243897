#include "client/remote/task_ledger.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "client/remote/ended_numbers.hpp"

namespace troupe::tests {
namespace {

using remote::EndedNumbers;
using remote::TaskLedger;

BOOST_AUTO_TEST_SUITE(ended_numbers)

BOOST_AUTO_TEST_CASE(numbers_that_come_in_any_order_are_all_there) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    EndedNumbers numbers;
    std::set<std::uint64_t> expected;
    for (int step = 0; step < 300; ++step) {
      std::uint64_t complete = 0;
      while (expected.contains(complete + 1)) ++complete;
      std::uint64_t first = complete + 1 + random() % 200;
      if (random() % 3 == 0) first = complete + 1;
      const std::uint64_t count = random() % 150;
      bool is_new = true;
      for (std::uint64_t n = first; n < first + count; ++n) is_new = is_new && !expected.contains(n);
      if (!is_new) continue;
      numbers.add(first, count);
      for (std::uint64_t n = first; n < first + count; ++n) expected.insert(n);
      complete = 0;
      while (expected.contains(complete + 1)) ++complete;
      BOOST_REQUIRE_EQUAL(numbers.complete(), complete);
      for (std::uint64_t n = 0; n < first + count + 10; ++n) {
        BOOST_REQUIRE_EQUAL(numbers.contains(n), expected.contains(n));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

struct Fixture {
  std::vector<TaskLedger::DueCallback> due;
  TaskLedger ledger{[this](TaskLedger::DueCallback one) { due.push_back(std::move(one)); }};

  void submit(std::uint64_t tasks) {
    for (std::uint64_t i = 0; i < tasks; ++i) ledger.submitted(++last);
  }
  std::uint64_t last = 0;
};

BOOST_FIXTURE_TEST_SUITE(task_ledger, Fixture)

BOOST_AUTO_TEST_CASE(tasks_are_pending_until_their_end_is_heard) {
  submit(10);
  ledger.succeeded(3, 4);
  ledger.ended(8, TaskStatus::failed, {ErrorCode::kernel_failed, "disk full"});
  BOOST_TEST((ledger.status(2) == TaskStatus::pending));
  BOOST_TEST((ledger.status(3) == TaskStatus::succeeded));
  BOOST_TEST((ledger.status(6) == TaskStatus::succeeded));
  BOOST_TEST((ledger.status(7) == TaskStatus::pending));
  BOOST_TEST((ledger.status(8) == TaskStatus::failed));
  BOOST_TEST(ledger.arrived() == 5U);
  BOOST_TEST(ledger.wait(3).ok());
  const auto failed = ledger.wait(8);
  BOOST_REQUIRE(!failed);
  BOOST_TEST(failed.failure().message == "disk full");
}

BOOST_AUTO_TEST_CASE(ends_of_tasks_that_were_never_submitted_are_not_believed) {
  submit(3);
  ledger.succeeded(2, 5);
  ledger.succeeded(0, 1);
  ledger.succeeded(2, ~std::uint64_t{0});
  ledger.ended(4, TaskStatus::failed, {});
  BOOST_TEST(ledger.arrived() == 0U);
}

BOOST_AUTO_TEST_CASE(a_task_with_a_callback_is_settled_when_the_callback_has_run) {
  submit(5);
  ledger.expect_callback(
      3, [](const TaskOutcome&) {}, "task 3");
  ledger.succeeded(1, 5);
  BOOST_TEST(ledger.arrived() == 5U);
  BOOST_TEST(ledger.settled_weight() == 4U);
  BOOST_REQUIRE(due.size() == 1U);
  BOOST_TEST(due[0].outcome.task.value() == 3U);
  BOOST_TEST((ledger.status(3) == TaskStatus::pending));
  BOOST_TEST((ledger.status(4) == TaskStatus::succeeded));
  std::thread other([this] { ledger.settle(3); });
  BOOST_TEST(ledger.wait_up_to(5).ok());
  other.join();
  BOOST_TEST((ledger.status(3) == TaskStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(callbacks_are_told_why_a_task_failed) {
  submit(2);
  ledger.expect_callback(
      2, [](const TaskOutcome&) {}, "task 2");
  ledger.ended(2, TaskStatus::failed, {ErrorCode::numerical, "not positive definite"});
  BOOST_REQUIRE(due.size() == 1U);
  BOOST_TEST((due[0].outcome.task == TaskId(2)));
  BOOST_TEST((due[0].outcome.status == TaskStatus::failed));
  BOOST_TEST(due[0].outcome.message == "not positive definite");
  BOOST_TEST((due[0].outcome.code == ErrorCode::numerical));
}

BOOST_AUTO_TEST_CASE(runs_count_as_many_tasks) {
  ledger.submitted(1, 11);
  ledger.submitted(2);
  BOOST_TEST(ledger.submitted_weight() == 12U);
  ledger.succeeded(1, 2);
  BOOST_TEST(ledger.settled_weight() == 12U);
  BOOST_TEST(ledger.arrived() == 12U);
}

BOOST_AUTO_TEST_CASE(who_waits_when_the_service_is_lost_is_told) {
  submit(10);
  ledger.expect_callback(
      4, [](const TaskOutcome&) {}, "task 4");
  ledger.succeeded(1, 2);
  std::vector<Result<void>> outcomes(3);
  const std::atomic<bool> never{false};
  std::vector<std::thread> threads;
  threads.emplace_back([&] { outcomes[0] = ledger.wait(7); });
  threads.emplace_back([&] { outcomes[1] = ledger.wait_up_to(10); });
  threads.emplace_back([&] { outcomes[2] = ledger.wait_for_arrived(5, never); });
  ledger.lose({ErrorCode::service_lost, "gone"});
  for (std::thread& thread : threads) thread.join();
  for (const auto& outcome : outcomes) {
    BOOST_REQUIRE(!outcome);
    BOOST_TEST((outcome.failure().code == ErrorCode::service_lost));
  }
  BOOST_TEST((ledger.status(1) == TaskStatus::succeeded));
  BOOST_TEST((ledger.status(7) == TaskStatus::cancelled));
  BOOST_REQUIRE(due.size() == 1U);
  BOOST_TEST((due[0].outcome.status == TaskStatus::cancelled));
  BOOST_TEST(due[0].outcome.message == "gone");
  BOOST_TEST((due[0].outcome.code == ErrorCode::service_lost));
}

BOOST_AUTO_TEST_CASE(a_callback_changes_nothing_about_whether_its_task_was_lost) {
  submit(3);
  for (std::uint64_t task = 1; task <= 3; ++task) {
    ledger.expect_callback(
        task, [](const TaskOutcome&) {}, "task");
  }
  // The service reports the end of the first task, whose callback runs only after the loss.
  ledger.succeeded(1, 1);
  ledger.lose({ErrorCode::service_lost, "gone"});
  BOOST_TEST(due.size() == 3U);
  BOOST_TEST((ledger.status(1) == TaskStatus::pending));
  BOOST_TEST((ledger.status(2) == TaskStatus::cancelled));
  Result<void> outcome = Failure{ErrorCode::invalid_argument, "no outcome yet"};
  std::thread waiting([&] { outcome = ledger.wait(1); });
  ledger.settle(1);
  waiting.join();
  BOOST_TEST(outcome.ok());
  BOOST_TEST((ledger.status(1) == TaskStatus::succeeded));
  ledger.settle(2);
  BOOST_TEST((ledger.status(2) == TaskStatus::cancelled));
  BOOST_TEST((ledger.wait(2).failure().code == ErrorCode::service_lost));
  BOOST_TEST(!ledger.all_settled());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
