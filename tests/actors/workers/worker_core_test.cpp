#include "actors/workers/worker_core.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/actors/workers/core_fixture.hpp"
#include "tests/actors/workers/steal_plans.hpp"

namespace troupe::workers {

namespace worker_core {

using graph::Task;
using graph::TaskList;
using tests::id_of;
using tests::kFirst;
using tests::kSecond;
using tests::Lines;
using tests::nobody_steals;
using tests::one_ring;
using tests::shared_queue;
using Fixture = tests::CoreFixture;
const auto kPerElement = boost::test_tools::per_element();

}  // namespace worker_core

BOOST_FIXTURE_TEST_SUITE(worker_core, Fixture)

BOOST_AUTO_TEST_CASE(without_work_it_rests) {
  BOOST_TEST(steps() == (Lines{"rest"}), kPerElement);
  BOOST_TEST(core.running() == 0U);
}

BOOST_AUTO_TEST_CASE(it_starts_the_newest_of_its_own_tasks) {
  deque(kFirst).push(task("a"));
  deque(kFirst).push(task("b"));
  BOOST_TEST(steps() == (Lines{"start b"}), kPerElement);
  BOOST_TEST(core.running() == 1U);
}

BOOST_AUTO_TEST_CASE(while_the_device_is_full_work_changes_nothing) {
  deque(kFirst).push(task("a"));
  steps();
  deque(kFirst).push(task("b"));
  BOOST_TEST(steps().empty());
}

BOOST_AUTO_TEST_CASE(an_ended_task_makes_room_and_is_counted) {
  Task* a = task("a");
  deque(kFirst).push(a);
  deque(kFirst).push(task("b"));
  steps();
  Task* b = started.front();
  core.task_ended(*b, nullptr);
  BOOST_TEST(steps() == (Lines{"start a"}), kPerElement);
  core.task_ended(*a, nullptr);
  BOOST_TEST(steps() == (Lines{"rest"}), kPerElement);
  BOOST_TEST(crew.ports[0].counters.tasks == 2U);
  BOOST_TEST(core.running() == 0U);
}

BOOST_AUTO_TEST_CASE(successors_of_an_ended_task_go_to_the_own_deque_and_are_started) {
  int value = 0;
  const Handle handle = tasks.scalar(value);
  const Codelet touch = Codelet("touch", {AccessMode::read_write}).cpu([](int&) {});
  tasks.submit(touch, {handle}, {.name = "first"});
  tasks.submit(touch, {handle}, {.name = "second"});
  TaskList ready = tasks.take_ready();
  BOOST_TEST_REQUIRE(ready.size() == 1U);
  deque(kFirst).push(ready);
  steps();
  Task* first = started.front();
  core.task_ended(*first, nullptr);
  BOOST_TEST(steps() == (Lines{"start second"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(the_entry_queue_is_for_who_has_nothing) {
  crew.entry.push(task("entered"));
  BOOST_TEST(steps() == (Lines{"start entered"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(its_own_tasks_come_before_the_entry_queue_unless_that_has_a_higher_priority) {
  crew.entry.push(task("entered", 1));
  deque(kFirst).push(task("own", 1));
  BOOST_TEST(steps() == (Lines{"start own"}), kPerElement);
  Fixture other;
  other.crew.entry.push(other.task("entered", 2));
  other.deque(kFirst).push(other.task("own", 1));
  BOOST_TEST(other.steps() == (Lines{"start entered"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(from_a_long_entry_queue_it_takes_several_but_leaves_the_others_theirs) {
  for (int i = 0; i < 64; ++i) crew.entry.push(task(std::to_string(i)));
  BOOST_TEST(steps() == (Lines{"start 0"}), kPerElement);
  // There are 64 tasks for four workers, so a quarter is 16. A worker takes half of its quarter: one starts, seven
  // wait.
  BOOST_TEST(deque(kFirst).size() == 7U);
  BOOST_TEST(crew.entry.size() == 56U);
}

BOOST_AUTO_TEST_CASE(a_deterministic_run_sees_what_has_arrived_however_short_the_last_task_was) {
  for (int i = 0; i < 200; ++i) {
    Fixture run(one_ring(4), {.self = kFirst, .seed = 7, .deterministic = true});
    for (const char* name : {"own", "own too"}) run.deque(kFirst).push(run.task(name));
    BOOST_TEST_REQUIRE(run.steps() == (Lines{"start own too"}), kPerElement);
    run.crew.entry.push(run.task("entered", 1));
    run.core.task_ended(*run.started[0], nullptr);
    BOOST_TEST_REQUIRE(run.steps() == (Lines{"start entered"}), kPerElement);
  }
}

BOOST_AUTO_TEST_CASE(a_task_of_higher_priority_that_arrives_interrupts_a_chain) {
  Fixture run(one_ring(4), {.self = kFirst, .seed = 7, .deterministic = true});
  int value = 0;
  const Handle handle = run.tasks.scalar(value);
  const Codelet touch = Codelet("touch", {AccessMode::read_write}).cpu([](int&) {});
  for (const char* name : {"1", "2", "3", "4"}) run.tasks.submit(touch, {handle}, {.name = name});
  TaskList ready = run.tasks.take_ready();
  run.deque(kFirst).push(ready);
  BOOST_TEST(run.steps() == (Lines{"start 1"}), kPerElement);
  run.core.task_ended(*run.started.back(), nullptr);
  run.crew.entry.push(run.task("urgent", 1));
  BOOST_TEST(run.steps() == (Lines{"start 2"}), kPerElement);
  run.core.task_ended(*run.started.back(), nullptr);
  BOOST_TEST(run.steps() == (Lines{"start urgent"}), kPerElement);
  run.core.task_ended(*run.started.back(), nullptr);
  BOOST_TEST(run.steps() == (Lines{"start 3"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_thief_asks_one_victim_at_a_time) {
  deque(kSecond).push(task("theirs"));
  BOOST_TEST(steps() == (Lines{"steal from 1"}), kPerElement);
  BOOST_TEST(steps().empty());
}

BOOST_AUTO_TEST_CASE(stolen_tasks_are_started_and_counted) {
  deque(kSecond).push(task("a"));
  deque(kSecond).push(task("b"));
  deque(kSecond).push(task("c"));
  steps();
  const std::size_t count = transfer_half(crew, kSecond, kFirst);
  BOOST_TEST(count == 2U);
  core.steal_answered(kSecond, count);
  BOOST_TEST(steps() == (Lines{"start b"}), kPerElement);
  BOOST_TEST(crew.ports[0].counters.steals == 1U);
  BOOST_TEST(crew.ports[0].counters.stolen_tasks == 2U);
  BOOST_TEST(crew.ports[0].counters.failed_steals == 0U);
}

BOOST_AUTO_TEST_CASE(the_first_of_the_tasks_that_a_victim_hands_over_is_started_and_the_others_can_be_stolen_again) {
  for (const char* name : {"a", "b", "c", "d"}) deque(kSecond).push(task(name));
  BOOST_TEST(steps() == (Lines{"steal from 1"}), kPerElement);
  TaskList stolen = take_half(crew, kSecond);
  core.steal_answered(kSecond, stolen);
  BOOST_TEST(stolen.empty());
  BOOST_TEST(deque(kFirst).size() == 1U);
  BOOST_TEST(steps() == (Lines{"start a"}), kPerElement);
  BOOST_TEST(crew.ports[0].counters.stolen_tasks == 2U);
}

BOOST_AUTO_TEST_CASE(a_stolen_task_waits_for_one_of_higher_priority) {
  deque(kSecond).push(task("theirs", 1));
  BOOST_TEST(steps() == (Lines{"steal from 1"}), kPerElement);
  TaskList stolen = take_half(crew, kSecond);
  deque(kFirst).push(task("own", 2));
  core.steal_answered(kSecond, stolen);
  BOOST_TEST(steps() == (Lines{"start own"}), kPerElement);
  BOOST_TEST(deque(kFirst).size() == 1U);
}

BOOST_AUTO_TEST_CASE(what_only_the_core_knew_of_outlives_it) {
  int value = 0;
  const Handle handle = tasks.scalar(value);
  const Codelet touch = Codelet("touch", {AccessMode::read_write}).cpu([](int&) {});
  tasks.submit(touch, {handle}, {.name = "first"});
  tasks.submit(touch, {handle}, {.name = "second"});
  TaskList ready = tasks.take_ready();
  deque(kFirst).push(ready);
  steps();
  core.task_ended(*started.front(), nullptr);
  BOOST_TEST(deque(kFirst).size() == 0U);
  BOOST_TEST(!core.give_up(asked_for));
  BOOST_TEST(asked_for.empty());
  BOOST_TEST(deque(kFirst).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_steal_that_brought_nothing_is_counted_and_the_search_goes_on_while_there_are_victims) {
  deque(kSecond).push(task("theirs"));
  steps();
  core.steal_answered(kSecond, 0);
  BOOST_TEST(steps() == (Lines{"steal from 1"}), kPerElement);
  BOOST_TEST(deque(kSecond).pop_newest() != nullptr);
  core.steal_answered(kSecond, 0);
  BOOST_TEST(steps() == (Lines{"rest"}), kPerElement);
  BOOST_TEST(crew.ports[0].counters.failed_steals == 2U);
}

BOOST_AUTO_TEST_CASE(a_search_ends_though_victims_always_seem_to_have_tasks) {
  deque(kSecond).push(task("theirs"));
  int asked = 0;
  Lines lines = steps();
  while (lines == Lines{"steal from 1"}) {
    BOOST_TEST_REQUIRE(++asked < 100);
    core.steal_answered(kSecond, 0);
    lines = steps();
  }
  BOOST_TEST(asked > 1);
  BOOST_TEST(lines == (Lines{"rest"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(an_answer_that_nobody_waits_for_does_not_end_the_wait) {
  deque(kSecond).push(task("theirs"));
  BOOST_TEST(steps() == (Lines{"steal from 1"}), kPerElement);
  core.steal_answered(WorkerId(3), 0);
  BOOST_TEST(steps().empty());
  BOOST_TEST(crew.ports[0].counters.failed_steals == 0U);
  core.steal_answered(kSecond, 0);
  BOOST_TEST(crew.ports[0].counters.failed_steals == 1U);
}

BOOST_AUTO_TEST_CASE(tasks_of_an_unexpected_answer_are_used) {
  deque(kFirst).push(task("late"));
  core.steal_answered(WorkerId(3), 1);
  BOOST_TEST(steps() == (Lines{"start late"}), kPerElement);
  BOOST_TEST(crew.ports[0].counters.stolen_tasks == 1U);
}

BOOST_AUTO_TEST_CASE(near_victims_are_asked_before_far_ones) {
  StealPlan plan = one_ring(4);
  plan.victims[0] = {{WorkerId(2)}, {WorkerId(1), WorkerId(3)}};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Fixture run(plan, {.self = kFirst, .seed = seed});
    for (std::uint32_t i = 1; i < 4; ++i) run.deque(WorkerId(i)).push(run.task("theirs"));
    BOOST_TEST_REQUIRE(run.steps() == (Lines{"steal from 2"}), kPerElement);
  }
}

BOOST_AUTO_TEST_CASE(within_a_ring_the_victim_is_random_and_has_tasks) {
  std::vector<int> asked(4);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Fixture run(one_ring(4), {.self = kFirst, .seed = seed * 0x9e3779b97f4a7c15ULL});
    run.deque(WorkerId(1)).push(run.task("theirs"));
    run.deque(WorkerId(3)).push(run.task("theirs"));
    const Step step = run.core.next();
    BOOST_TEST_REQUIRE((step.kind == Step::Kind::steal));
    ++asked[step.victim.index()];
  }
  BOOST_TEST(asked[0] == 0);
  BOOST_TEST(asked[2] == 0);
  // The search begins at a random worker and goes on to the next one until a worker has tasks. Worker 1 is found if the
  // search begins at 1, worker 3 if it begins at 2 or 3.
  BOOST_TEST(asked[1] > 60);
  BOOST_TEST(asked[3] > 60);
}

BOOST_AUTO_TEST_CASE(with_a_shared_queue_nobody_steals_and_successors_are_everybodys) {
  Fixture run(shared_queue(4));
  run.deque(kSecond).push(run.task("not to be stolen"));
  int value = 0;
  const Handle handle = run.tasks.scalar(value);
  const Codelet write = Codelet("write", {AccessMode::write}).cpu([](int&) {});
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([](const int&) {});
  run.tasks.submit(write, {handle}, {.name = "write"});
  for (const char* name : {"a", "b", "c"}) run.tasks.submit(look, {handle}, {.name = name});
  TaskList ready = run.tasks.take_ready();
  run.crew.entry.push(ready);
  BOOST_TEST(run.steps() == (Lines{"start write"}), kPerElement);
  Task* first = run.started.front();
  run.core.task_ended(*first, nullptr);
  BOOST_TEST(run.steps() == (Lines{"start a"}), kPerElement);
  BOOST_TEST(run.crew.entry.size() == 2U);
  BOOST_TEST(run.deque(kFirst).size() == 0U);
}

BOOST_AUTO_TEST_CASE(under_a_placing_policy_successors_go_to_the_scheduler) {
  TaskDeque activation;
  Fixture run(nobody_steals(4), {.self = kFirst, .seed = 7, .activation_queue = &activation});
  int value = 0;
  const Handle handle = run.tasks.scalar(value);
  const Codelet touch = Codelet("touch", {AccessMode::read_write}).cpu([](int&) {});
  run.tasks.submit(touch, {handle}, {.name = "first"});
  run.tasks.submit(touch, {handle}, {.name = "second"});
  TaskList ready = run.tasks.take_ready();
  run.deque(kFirst).push(ready);
  run.steps();
  Task* first = run.started.front();
  run.core.task_ended(*first, nullptr);
  BOOST_TEST(run.steps() == (Lines{"activate", "rest"}), kPerElement);
  BOOST_TEST(activation.size() == 1U);
}

/// Returns options of a core that fetches the data of one more task while another task runs.
WorkerCore::Options with_lookahead(TaskDeque* activation = nullptr) {
  return {.self = kFirst, .fetches = true, .lookahead = 1, .seed = 7, .activation_queue = activation};
}

BOOST_AUTO_TEST_CASE(while_a_task_runs_the_data_of_the_next_are_asked_for) {
  Fixture run(nobody_steals(4), with_lookahead());
  for (const char* name : {"a", "b", "c"}) run.deque(kFirst).push(run.task(name));
  BOOST_TEST(run.steps() == (Lines{"acquire c", "acquire b"}), kPerElement);
  // The data of b arrive first, so b starts first.
  run.core.acquired(*run.asked_for[1]);
  BOOST_TEST(run.steps() == (Lines{"start b"}), kPerElement);
  run.core.task_ended(*run.started[0], nullptr);
  BOOST_TEST(run.steps() == (Lines{"acquire a"}), kPerElement);
  BOOST_TEST(run.core.in_hand() == 2U);
}

BOOST_AUTO_TEST_CASE(of_those_whose_data_are_there_the_most_urgent_starts_first) {
  for (const bool urgent_first : {false, true}) {
    WorkerCore::Options options = with_lookahead();
    options.lookahead = 3;
    options.urgent_first = urgent_first;
    Fixture run(nobody_steals(4), options);
    const std::vector<std::pair<const char*, int>> tasks{{"first", 1}, {"low", 1}, {"high", 3}, {"late", 3}};
    for (const auto& [name, priority] : tasks) {
      Task* task = run.task(name);
      run.deque(kFirst).push(task);
      (void)run.steps();
      task->priority = priority;
    }
    BOOST_TEST_REQUIRE(run.asked_for.size() == 4U);
    run.core.acquired(*run.asked_for[0]);
    BOOST_TEST(run.steps() == (Lines{"start first"}), kPerElement);
    // The data arrive in another order than the tasks were taken, and all of them before a slot is free.
    for (const std::size_t i : {3U, 1U, 2U}) run.core.acquired(*run.asked_for[i]);
    Lines order;
    for (std::size_t i = 0; i < 3; ++i) {
      run.core.task_ended(*run.started[i], nullptr);
      for (const std::string& step : run.steps()) {
        if (step.starts_with("start")) order.push_back(step);
      }
    }
    const Lines expected =
        urgent_first ? Lines{"start late", "start high", "start low"} : Lines{"start late", "start low", "start high"};
    BOOST_TEST(order == expected, kPerElement);
  }
}

BOOST_AUTO_TEST_CASE(who_holds_commute_locks_is_not_overtaken) {
  WorkerCore::Options options = with_lookahead();
  options.lookahead = 2;
  Fixture run(nobody_steals(4), options);
  for (const char* name : {"first", "holder", "urgent"}) {
    run.deque(kFirst).push(run.task(name));
    (void)run.steps();
  }
  run.asked_for[1]->commute.holds = true;
  run.asked_for[2]->priority = 9;
  for (Task* task : {run.asked_for[0], run.asked_for[2], run.asked_for[1]}) run.core.acquired(*task);
  (void)run.steps();
  BOOST_TEST_REQUIRE(run.started.size() == 1U);
  BOOST_TEST(run.started[0] == run.asked_for[1]);
  run.asked_for[1]->commute.holds = false;
}

BOOST_AUTO_TEST_CASE(successors_are_announced_before_a_task_whose_data_have_arrived_starts) {
  TaskDeque activation;
  Fixture run(nobody_steals(4), with_lookahead(&activation));
  int value = 0;
  const Handle handle = run.tasks.scalar(value);
  const Codelet touch = Codelet("touch", {AccessMode::read_write}).cpu([](int&) {});
  run.tasks.submit(touch, {handle}, {.name = "first"});
  run.tasks.submit(touch, {handle}, {.name = "second"});
  TaskList ready = run.tasks.take_ready();
  run.deque(kFirst).push(ready);
  run.steps();
  run.core.acquired(*run.asked_for[0]);
  run.deque(kFirst).push(run.task("other"));
  BOOST_TEST(run.steps() == (Lines{"start first", "acquire other"}), kPerElement);
  run.core.acquired(*run.asked_for[1]);
  run.core.task_ended(*run.started[0], nullptr);
  // The kernel of "other" may run inside the call that starts it, so the core announces the ready task "second" before.
  BOOST_TEST(run.steps() == (Lines{"activate", "start other", "rest"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_sleeper_is_woken_before_a_task_whose_data_have_arrived_starts) {
  Fixture run(one_ring(4), with_lookahead());
  int value = 0;
  const Handle handle = run.tasks.scalar(value);
  const Codelet write = Codelet("write", {AccessMode::write}).cpu([](int&) {});
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([](const int&) {});
  run.tasks.submit(write, {handle}, {.name = "write"});
  for (const char* name : {"a", "b", "c"}) run.tasks.submit(look, {handle}, {.name = name});
  TaskList ready = run.tasks.take_ready();
  run.deque(kFirst).push(ready);
  run.steps();
  run.core.acquired(*run.asked_for[0]);
  run.deque(kFirst).push(run.task("other"));
  BOOST_TEST(run.steps() == (Lines{"start write", "acquire other"}), kPerElement);
  run.core.acquired(*run.asked_for[1]);
  run.core.task_ended(*run.started[0], nullptr);
  run.crew.idle.insert(kSecond);
  BOOST_TEST((run.core.next().wake == kSecond));
}

BOOST_AUTO_TEST_CASE(a_device_with_slots_is_filled_and_refilled) {
  Fixture run(one_ring(4), {.self = kFirst, .slots = 3, .seed = 7});
  for (const char* name : {"a", "b", "c", "d"}) run.deque(kFirst).push(run.task(name));
  BOOST_TEST(run.steps() == (Lines{"start d", "start c", "start b"}), kPerElement);
  Task* d = run.started.front();
  BOOST_TEST(run.core.running() == 3U);
  run.core.task_ended(*d, nullptr);
  BOOST_TEST(run.steps() == (Lines{"start a"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_device_with_room_looks_for_more_while_it_runs_something) {
  Fixture run(one_ring(4), {.self = kFirst, .slots = 2, .seed = 7});
  run.deque(kFirst).push(run.task("a"));
  run.deque(kSecond).push(run.task("theirs"));
  BOOST_TEST(run.steps() == (Lines{"start a", "steal from 1"}), kPerElement);
  BOOST_TEST(transfer_half(run.crew, kSecond, kFirst) == 1U);
  run.core.steal_answered(kSecond, 1);
  BOOST_TEST(run.steps() == (Lines{"start theirs"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(cancelled_tasks_are_passed_over) {
  deque(kFirst).push(task("a"));
  deque(kFirst).push(task("b"));
  tasks.graph.cancel_all();
  deque(kFirst).push(task("c"));
  BOOST_TEST(steps() == (Lines{"start c"}), kPerElement);
  Task* c = started.front();
  core.task_ended(*c, nullptr);
  BOOST_TEST(steps() == (Lines{"rest"}), kPerElement);
  BOOST_TEST(tasks.graph.progress().ended == 3U);
}

BOOST_AUTO_TEST_CASE(commuting_tasks_on_one_handle_are_not_in_flight_together) {
  Fixture run(one_ring(4), {.self = kFirst, .slots = 2, .seed = 7});
  int value = 0;
  const Handle handle = run.tasks.scalar(value);
  const Codelet add = Codelet("add", {AccessMode::commute}).cpu([](int&) {});
  run.tasks.submit(add, {handle}, {.name = "a"});
  run.tasks.submit(add, {handle}, {.name = "b"});
  TaskList ready = run.tasks.take_ready();
  run.deque(kFirst).push(ready);
  BOOST_TEST(run.steps() == (Lines{"start b", "rest"}), kPerElement);
  Task* first = run.started.front();
  run.core.task_ended(*first, nullptr);
  BOOST_TEST(run.steps() == (Lines{"start a", "rest"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(parking_fails_while_there_is_work_anywhere) {
  BOOST_TEST(core.park());
  BOOST_TEST(crew.idle.contains(kFirst));
  core.unpark();
  BOOST_TEST(!crew.idle.contains(kFirst));

  deque(WorkerId(3)).push(task("theirs"));
  BOOST_TEST(core.sees_work());
  BOOST_TEST(!core.park());
  BOOST_TEST(!crew.idle.contains(kFirst));
  BOOST_TEST(deque(WorkerId(3)).pop_newest() != nullptr);

  crew.entry.push(task("entered"));
  BOOST_TEST(!core.park());
  BOOST_TEST(crew.ports[0].counters.parks == 1U);
}

BOOST_AUTO_TEST_CASE(work_that_a_worker_may_not_take_does_not_keep_it_awake) {
  Fixture run(shared_queue(4));
  run.deque(kSecond).push(run.task("theirs"));
  BOOST_TEST(!run.core.sees_work());
  BOOST_TEST(run.core.park());
  Fixture other(nobody_steals(4));
  other.deque(kSecond).push(other.task("theirs"));
  BOOST_TEST(other.core.park());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
