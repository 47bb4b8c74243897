#include "graph/tasks/failure_log.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(failure_log)

namespace {

using tests::contains;

FailureLog::Cause because(const std::string& message, ErrorCode code = ErrorCode::kernel_failed) {
  return std::make_shared<Failure>(Failure{code, message});
}
void fail(FailureLog& log, std::uint64_t id, const std::string& message = "broken") {
  const FailureLog::Cause cause = because(message);
  log.task_ended(TaskId(id), TaskStatus::failed, cause, cause);
}
void cancel(FailureLog& log, std::uint64_t id, const std::string& message = "not needed") {
  const FailureLog::Cause cause = because(message, ErrorCode::cancelled);
  log.task_ended(TaskId(id), TaskStatus::cancelled, cause, cause);
}

BOOST_AUTO_TEST_CASE(passes_over_tasks_that_ended_quietly_and_knows_them_all_the_same) {
  FailureLog log;
  const FailureLog::Cause cause = because("asked for by its future");
  log.task_ended_quietly(TaskId(3), TaskStatus::failed, cause, cause);
  BOOST_TEST((log.status_of(TaskId(3)) == TaskStatus::failed));
  BOOST_TEST((log.untold() == nullptr));
  BOOST_TEST((log.take_summary() == nullptr));
  BOOST_TEST(log.failure_of(TaskId(3)).message == "asked for by its future");
  // Their details make room for the details of other tasks.
  for (std::uint64_t id = 10; id < 10 + FailureLog::kDetails; ++id) {
    log.task_ended_quietly(TaskId(id), TaskStatus::failed, cause, cause);
  }
  BOOST_TEST((log.take_summary() == nullptr));
  fail(log, 5000, "loud");
  BOOST_TEST(log.failure_of(TaskId(5000)).message == "loud");
  BOOST_TEST(log.take_summary()->message == "loud");
}

BOOST_AUTO_TEST_CASE(knows_how_each_task_ended_in_whatever_order_they_did) {
  for (const std::vector<std::uint64_t>& order :
       {std::vector<std::uint64_t>{5, 6, 7, 8, 9}, {9, 8, 7, 6, 5}, {5, 7, 9, 6, 8}, {7, 5, 9, 8, 6}}) {
    FailureLog log;
    for (const std::uint64_t id : order) fail(log, id);
    cancel(log, 10);
    cancel(log, 4);
    fail(log, 12);
    for (std::uint64_t id = 5; id <= 9; ++id) BOOST_TEST((log.status_of(TaskId(id)) == TaskStatus::failed));
    BOOST_TEST((log.status_of(TaskId(3)) == TaskStatus::succeeded));
    BOOST_TEST((log.status_of(TaskId(4)) == TaskStatus::cancelled));
    BOOST_TEST((log.status_of(TaskId(10)) == TaskStatus::cancelled));
    BOOST_TEST((log.status_of(TaskId(11)) == TaskStatus::succeeded));
    BOOST_TEST((log.status_of(TaskId(12)) == TaskStatus::failed));
    BOOST_TEST((log.status_of(TaskId(13)) == TaskStatus::succeeded));
  }
}

BOOST_AUTO_TEST_CASE(knows_whether_any_data_have_no_valid_content) {
  FailureLog log;
  fail(log, 1);
  BOOST_TEST(!log.any_poison());
  log.poison(HandleId(3), because("broken"));
  log.poison(HandleId(4), because("broken"));
  log.cure(HandleId(3));
  BOOST_TEST(log.any_poison());
  log.cure(HandleId(4));
  log.cure(HandleId(4));
  BOOST_TEST(!log.any_poison());
}

BOOST_AUTO_TEST_CASE(says_why_for_the_first_tasks_and_how_for_all) {
  FailureLog log;
  for (std::uint64_t id = 1; id <= FailureLog::kDetails + 10; ++id) fail(log, id, "reason " + std::to_string(id));
  BOOST_TEST(log.failure_of(TaskId(1)).message == "reason 1");
  BOOST_TEST(log.failure_of(TaskId(FailureLog::kDetails)).message == "reason " + std::to_string(FailureLog::kDetails));
  const Failure beyond = log.failure_of(TaskId(FailureLog::kDetails + 1));
  BOOST_TEST((beyond.code == ErrorCode::kernel_failed));
  BOOST_TEST(contains(beyond.message, "task " + std::to_string(FailureLog::kDetails + 1) + " failed"));
  cancel(log, 5000);
  BOOST_TEST((log.failure_of(TaskId(5000)).code == ErrorCode::cancelled));
}

BOOST_AUTO_TEST_CASE(makes_room_for_new_details_once_the_old_ones_were_reported) {
  FailureLog log;
  for (std::uint64_t id = 1; id <= FailureLog::kDetails; ++id) fail(log, id, "old");
  BOOST_TEST(log.take_summary() != nullptr);
  BOOST_TEST(log.failure_of(TaskId(1)).message == "old");
  fail(log, 9001, "new");
  fail(log, 9002, "newer");
  BOOST_TEST(log.failure_of(TaskId(9001)).message == "new");
  BOOST_TEST(log.failure_of(TaskId(9002)).message == "newer");
  BOOST_TEST((log.status_of(TaskId(1)) == TaskStatus::failed));
}

BOOST_AUTO_TEST_CASE(sums_up_what_happened_since_the_last_time) {
  FailureLog log;
  BOOST_TEST(log.take_summary() == nullptr);
  fail(log, 1, "the disk is full");
  auto summary = log.take_summary();
  BOOST_TEST_REQUIRE(summary != nullptr);
  BOOST_TEST(summary->message == "the disk is full");
  BOOST_TEST((summary->code == ErrorCode::kernel_failed));
  BOOST_TEST(log.take_summary() == nullptr);

  fail(log, 2, "first");
  cancel(log, 3);
  cancel(log, 4);
  log.add({ErrorCode::callback_failed, "callback"});
  summary = log.take_summary();
  BOOST_TEST_REQUIRE(summary != nullptr);
  BOOST_TEST(contains(summary->message, "1 task failed, 2 tasks were cancelled, 1 other failure"));
  BOOST_TEST(contains(summary->message, "first"));
  BOOST_TEST(contains(summary->message, "callback"));
  BOOST_TEST((summary->code == ErrorCode::kernel_failed));
}

BOOST_AUTO_TEST_CASE(a_summary_of_news_is_empty_if_the_program_has_heard_of_all_failures) {
  constexpr auto kUntold = FailureLog::Summary::untold;
  FailureLog log;
  const FailureLog::Cause known = because("known");
  log.task_ended(TaskId(1), TaskStatus::failed, known, known);
  log.task_ended(TaskId(2), TaskStatus::cancelled, because("follows", ErrorCode::cancelled), known);
  BOOST_TEST(log.failure_of(TaskId(1)).message == "known");
  BOOST_TEST(log.take_summary(kUntold) == nullptr);
  BOOST_TEST(log.take_summary() == nullptr);
  fail(log, 3, "known");
  fail(log, 4, "new");
  BOOST_TEST(log.failure_of(TaskId(3)).message == "known");
  const auto summary = log.take_summary(kUntold);
  BOOST_TEST_REQUIRE(summary != nullptr);
  BOOST_TEST(contains(summary->message, "2 tasks failed"));
  cancel(log, 5);
  BOOST_TEST(log.take_summary(kUntold) != nullptr);
  // A cancellation that followed from no failure is news of its own.
  fail(log, 6, "known");
  BOOST_TEST(log.failure_of(TaskId(6)).message == "known");
  const auto wish = std::make_shared<const Failure>(Failure{ErrorCode::cancelled, "the program cancelled it"});
  log.task_ended(TaskId(7), TaskStatus::cancelled, wish, wish);
  BOOST_TEST(log.look_at(TaskId(7)).message == "the program cancelled it");
  BOOST_TEST(log.take_summary(kUntold) != nullptr);
  fail(log, 8, "known");
  log.task_ended(TaskId(9), TaskStatus::cancelled, wish, wish);
  for (const std::uint64_t id : {8, 9}) (void)log.failure_of(TaskId(id));
  BOOST_TEST(log.take_summary(kUntold) == nullptr);
}

BOOST_AUTO_TEST_CASE(keeps_a_summary_short) {
  FailureLog log;
  for (std::uint64_t id = 1; id <= 10000; ++id) fail(log, id, "reason " + std::to_string(id) + ".");
  const auto summary = log.take_summary();
  BOOST_TEST(contains(summary->message, "10000 tasks failed"));
  BOOST_TEST(contains(summary->message, "reason 1."));
  BOOST_TEST(!contains(summary->message, "reason 100."));
  BOOST_TEST(contains(summary->message, "; and 9992 more"));
  BOOST_TEST(summary->message.size() < 1000U);
}

BOOST_AUTO_TEST_CASE(names_a_failure_rather_than_the_cancellations_that_it_caused) {
  FailureLog log;
  for (std::uint64_t id = 1; id <= 20; ++id) cancel(log, id);
  fail(log, 21, "the cause");
  BOOST_TEST(contains(log.take_summary()->message, "the cause"));
}

BOOST_AUTO_TEST_CASE(remembers_why_data_are_not_valid_until_they_are) {
  FailureLog log;
  BOOST_TEST(log.poison_of(HandleId(1)) == nullptr);
  log.poison(HandleId(1), because("x"));
  BOOST_TEST(log.poison_of(HandleId(1))->message == "x");
  BOOST_TEST(log.poison_of(HandleId(2)) == nullptr);
  log.cure(HandleId(1));
  BOOST_TEST(log.poison_of(HandleId(1)) == nullptr);
}

BOOST_AUTO_TEST_CASE(counts_what_threads_report_at_the_same_time) {
  FailureLog log;
  std::vector<std::thread> threads;
  for (std::uint64_t i = 0; i < 4; ++i) {
    threads.emplace_back([&log, i] {
      for (std::uint64_t k = 0; k < 500; ++k) fail(log, 4 * k + i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint64_t id = 0; id < 2000; ++id) BOOST_TEST_REQUIRE((log.status_of(TaskId(id)) == TaskStatus::failed));
  BOOST_TEST(contains(log.take_summary()->message, "2000 tasks failed"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
