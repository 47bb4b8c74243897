// Tests of tasks that a worker issues to its device before their predecessors end, also when something goes wrong.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/actors/workers/core_fixture.hpp"
#include "tests/actors/workers/steal_plans.hpp"

namespace troupe::workers {

namespace worker_core_issuing {

using graph::Task;
using graph::TaskList;
using tests::kFirst;
using tests::Lines;
using tests::nobody_steals;
const auto kPerElement = boost::test_tools::per_element();

/// Records the calls of its functions. `may_issue` returns the member `answer`, which is initially true.
struct Notes final : DataProvider {
  bool acquire(WorkerId, Task&) override { return false; }
  void withdraw(WorkerId, Task& task) override { lines.push_back("withdraw " + task.extras->name); }
  std::optional<bool> may_issue(const Task& task) {
    lines.push_back("may issue " + task.extras->name);
    return answer;
  }

  std::optional<bool> answer = true;
  Lines lines;
};

WorkerCore::Options options(std::size_t slots, std::size_t most_ahead,
                            std::function<std::optional<bool>(const Task&)> may_issue) {
  return {.self = kFirst,
          .slots = slots,
          .fetches = true,
          .lookahead = 1,
          .most_ahead = most_ahead,
          .work_ahead = std::chrono::microseconds(100),
          .may_issue = std::move(may_issue),
          .seed = 7};
}

struct Fixture : tests::CoreFixture {
  explicit Fixture(std::size_t slots = 1, std::size_t most_ahead = 4)
      : CoreFixture(nobody_steals(4),
                    options(slots, most_ahead, [this](const Task& task) { return notes.may_issue(task); })) {
    crew.data = &notes;
    // A task is issued ahead only if the duration of its codelet is known. This task makes the duration known.
    chain({"known"});
    Task& known = start_first();
    core.task_ended(known, nullptr, std::chrono::microseconds(10));
    started.clear();
    asked_for.clear();
  }

  /// Submits a chain of tasks that update one value. The task that is ready goes into worker 0's deque.
  std::vector<Future> chain(const Lines& names) {
    std::vector<Future> futures;
    for (const std::string& name : names) futures.push_back(tasks.submit(update, {handle}, {.name = name}));
    TaskList ready = tasks.take_ready();
    deque(kFirst).push(ready);
    return futures;
  }
  Task& start_first() {
    (void)steps();
    core.acquired(*asked_for.front());
    (void)steps();
    return *started.front();
  }
  void end(Task& task, const graph::FailureLog::Cause& cause = nullptr) {
    core.task_ended(task, cause, std::chrono::microseconds(10));
  }
  TaskStatus status(const Future& task) { return tasks.graph.status(task); }

  Notes notes;
  int value = 0;
  const Handle handle = tasks.scalar(value);
  const Codelet update = Codelet("update", {AccessMode::read_write}).cpu([](int&) {});
};

}  // namespace worker_core_issuing

BOOST_FIXTURE_TEST_SUITE(worker_core_issuing, Fixture)

BOOST_AUTO_TEST_CASE(a_successor_is_given_to_the_device_behind_the_task_that_it_waits_for) {
  chain({"a", "b", "c"});
  Task& a = start_first();
  BOOST_TEST(notes.lines == (Lines{"may issue b"}), kPerElement);
  BOOST_TEST_REQUIRE(asked_for.size() == 2U);
  core.acquired(*asked_for[1]);
  BOOST_TEST(steps() == (Lines{"start b behind a", "acquire c"}), kPerElement);
  core.acquired(*asked_for[2]);
  BOOST_TEST(steps() == (Lines{"start c behind b", "rest"}), kPerElement);
  BOOST_TEST(core.running() == 3U);
  end(a);
  // Task b has been issued to the device already, so it does not enter the deque.
  BOOST_TEST(deque(kFirst).size() == 0U);
  end(*started[1]);
  end(*started[2]);
  BOOST_TEST(core.in_hand() == 0U);
  BOOST_TEST(crew.ports[0].counters.tasks.load() == 4U);
  BOOST_TEST(crew.ports[0].counters.issued_ahead.load() == 2U);
  BOOST_TEST(steps() == (Lines{"rest"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(what_the_policy_wants_elsewhere_becomes_ready_like_any_other_and_is_asked_about_once) {
  notes.answer = false;
  chain({"a", "b"});
  Task& a = start_first();
  (void)steps();
  BOOST_TEST(notes.lines == (Lines{"may issue b"}), kPerElement);
  end(a);
  BOOST_TEST(steps() == (Lines{"acquire b", "rest"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(while_somebody_else_decides_it_asks_again_later) {
  notes.answer.reset();
  chain({"a", "b"});
  (void)start_first();
  notes.answer = true;
  BOOST_TEST(steps() == (Lines{"acquire b"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(what_waits_for_something_that_is_not_on_the_device_is_not_issued) {
  int other = 0;
  const Handle elsewhere = tasks.scalar(other);
  const Codelet both = Codelet("both", {AccessMode::read_write, AccessMode::read}).cpu([](int&, const int&) {});
  tasks.submit(update, {elsewhere}, {.name = "elsewhere"});
  (void)tasks.take_ready();
  chain({"a"});
  tasks.submit(both, {handle, read(elsewhere)}, {.name = "b"});
  (void)start_first();
  BOOST_TEST(notes.lines.empty());
}

BOOST_AUTO_TEST_CASE(behind_a_task_that_fails_what_was_issued_ends_as_cancelled_whatever_it_did) {
  const std::vector<Future> futures = chain({"a", "b"});
  Task& a = start_first();
  core.acquired(*asked_for[1]);
  (void)steps();
  BOOST_TEST_REQUIRE(started.size() == 2U);
  end(a, std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "planned"}));
  end(*started[1]);
  BOOST_TEST((status(futures[0]) == TaskStatus::failed));
  BOOST_TEST((status(futures[1]) == TaskStatus::cancelled));
  BOOST_TEST(core.in_hand() == 0U);
}

BOOST_AUTO_TEST_CASE(what_the_device_has_run_before_its_turn_came_counts_as_started_whatever_is_cancelled_then) {
  const std::vector<Future> futures = chain({"a", "b", "c"});
  Task& a = start_first();
  core.acquired(*asked_for[1]);
  (void)steps();
  BOOST_TEST_REQUIRE(started.size() == 2U);
  tasks.graph.cancel(futures[1]);
  tasks.graph.cancel_all();
  end(a);
  end(*started[1]);
  BOOST_TEST((status(futures[0]) == TaskStatus::succeeded));
  BOOST_TEST((status(futures[1]) == TaskStatus::succeeded));
  // The device was never given task c.
  core.acquired(*asked_for[2]);
  (void)steps();
  BOOST_TEST(started.size() == 2U);
  BOOST_TEST((status(futures[2]) == TaskStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(behind_a_task_that_fails_the_one_that_was_to_run_after_it_ends_as_cancelled) {
  const std::vector<Future> futures = chain({"a"});
  int other = 0;
  const Handle elsewhere = tasks.scalar(other);
  const Future after = tasks.submit(update, {elsewhere}, {.name = "b", .after = {futures[0]}});
  Task& a = start_first();
  core.acquired(*asked_for[1]);
  (void)steps();
  BOOST_TEST_REQUIRE(started.size() == 2U);
  tasks.graph.cancel(after);
  end(a, std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "planned"}));
  end(*started[1]);
  BOOST_TEST((status(after) == TaskStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(what_the_device_hands_back_starts_again_when_it_is_ready) {
  chain({"a", "b"});
  Task& a = start_first();
  core.acquired(*asked_for[1]);
  (void)steps();
  TaskList back;
  back.push_back(started[1]);
  core.taken_back(back);
  BOOST_TEST(core.running() == 1U);
  end(a);
  BOOST_TEST(steps() == (Lines{"start b", "rest"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_device_of_several_slots_hands_back_ready_tasks_too_where_nothing_is_issued_ahead) {
  Fixture run(2, 0);
  for (const char* name : {"a", "b"}) run.deque(kFirst).push(run.task(name));
  (void)run.steps();
  for (Task* task : run.asked_for) run.core.acquired(*task);
  BOOST_TEST(run.steps() == (Lines{"start b", "start a", "rest"}), kPerElement);
  TaskList back;
  back.push_back(run.started[1]);
  run.end(*run.started[0], std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "planned"}));
  run.core.taken_back(back);
  BOOST_TEST(run.steps() == (Lines{"start a", "rest"}), kPerElement);
  BOOST_TEST(run.core.running() == 1U);
  run.end(*run.started[2]);
  BOOST_TEST(run.core.in_hand() == 0U);
}

BOOST_AUTO_TEST_CASE(what_the_device_refuses_before_it_is_ready_starts_once_it_is) {
  chain({"a", "b"});
  Task& a = start_first();
  core.acquired(*asked_for[1]);
  BOOST_TEST(steps() == (Lines{"start b behind a", "rest"}), kPerElement);
  BOOST_TEST(core.put_off(*started[1]));
  BOOST_TEST(steps().empty());
  BOOST_TEST(!core.put_off(a));
  end(a);
  BOOST_TEST(steps() == (Lines{"start b", "rest"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(data_that_cannot_come_cost_a_task_that_is_not_ready_nothing) {
  chain({"a", "b"});
  Task& a = start_first();
  BOOST_TEST(core.withdraw_claim(*asked_for[1]));
  BOOST_TEST(!core.withdraw_claim(a));
  BOOST_TEST(core.in_hand() == 1U);
  end(a);
  BOOST_TEST(steps() == (Lines{"acquire b", "rest"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_lost_device_gives_its_claims_up_before_it_sends_on_what_they_wait_for) {
  chain({"a", "b"});
  Task& a = start_first();
  core.acquired(*asked_for[1]);
  crew.ports[0].lost = true;
  notes.lines.clear();
  BOOST_TEST(steps().empty());
  BOOST_TEST(notes.lines == (Lines{"withdraw b"}), kPerElement);
  BOOST_TEST(!asked_for[1]->issued_ahead);
  // When task a has ended, task b becomes ready. The worker passes b on, like all of its other tasks.
  end(a, std::make_shared<Failure>(Failure{ErrorCode::device_lost, "planned"}));
  BOOST_TEST(steps() == (Lines{"send on b", "rest"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(what_an_actor_that_ends_had_claimed_becomes_ready_where_its_predecessor_ends) {
  chain({"a", "b"});
  Task& a = start_first();
  Task* const b = asked_for[1];
  std::vector<Task*> asked;
  BOOST_TEST(!core.give_up(asked));
  BOOST_TEST(asked.empty());
  BOOST_TEST(notes.lines.back() == "withdraw b");
  TaskList ready;
  tasks.graph.complete(a, nullptr, kFirst, ready);
  BOOST_TEST_REQUIRE(ready.size() == 1U);
  BOOST_TEST(ready.front() == b);
  BOOST_TEST(!b->issued_ahead);
}

BOOST_AUTO_TEST_CASE(a_task_that_is_wanted_back_goes_unless_it_has_begun) {
  Fixture run(1, 0);
  for (const char* name : {"a", "b", "c"}) run.deque(kFirst).push(run.task(name));
  BOOST_TEST(run.steps() == (Lines{"acquire c", "acquire b"}), kPerElement);
  Task& runs = *run.asked_for[0];
  Task& waits = *run.asked_for[1];
  run.core.acquired(runs);
  BOOST_TEST(run.steps() == (Lines{"start c"}), kPerElement);
  const auto want_back = [&](const Task& task) { run.crew.ports[0].wanted_back = task.task_id(); };
  run.notes.lines.clear();
  want_back(runs);
  BOOST_TEST(run.steps().empty());
  waits.commute.holds = true;
  want_back(waits);
  BOOST_TEST(run.steps().empty());
  waits.commute.holds = false;
  // While task c runs, a waiting task can be passed on whether its data have arrived or not.
  BOOST_TEST(run.steps() == (Lines{"send on b", "acquire a"}), kPerElement);
  BOOST_TEST(run.notes.lines == (Lines{"withdraw b"}), kPerElement);
  run.core.acquired(*run.asked_for[2]);
  want_back(*run.asked_for[2]);
  BOOST_TEST(run.steps() == (Lines{"send on a", "rest"}), kPerElement);
  BOOST_TEST(run.core.in_hand() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
