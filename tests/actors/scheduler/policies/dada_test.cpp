#include "actors/scheduler/policies/dada.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(dada_policy)

namespace {

using tests::HandMadeMachine;
using Workers = std::vector<int>;
using Loads = DadaOptions::Loads;
const auto kPerElement = boost::test_tools::per_element();
constexpr int kNever = HandMadeMachine::kNever;

std::vector<memory::Use> modifies(std::uint64_t data, std::uint64_t bytes = 1000) {
  return {HandMadeMachine::use(data, AccessMode::read_write, bytes)};
}

BOOST_AUTO_TEST_CASE(with_alpha_0_data_do_not_matter) {
  HandMadeMachine machine(1, 3);
  machine.data_on(5, {3});
  BOOST_TEST(machine.place(*dada({.alpha = 0}), {machine.task(100, 10, modifies(5))}) == (Workers{1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(with_alpha_above_0_a_task_follows_its_data) {
  HandMadeMachine machine(1, 3);
  machine.data_on(5, {3}).data_on(6, {2});
  const auto policy = dada({.alpha = 1});
  BOOST_TEST(machine.place(*policy, {machine.task(100, 10, modifies(5)), machine.task(100, 10, modifies(6))}) ==
                 (Workers{3, 2}),
             kPerElement);
}

BOOST_AUTO_TEST_CASE(a_slow_core_gets_only_what_leaves_the_gpus_too_much) {
  HandMadeMachine machine(2, 1);
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 6; ++t) tasks.push_back(machine.task(30, 10));
  const Workers placed = machine.place(*dada({.alpha = 0}), tasks);
  // With a guess of 30 us the GPU gets three tasks of 10 us, and a fourth task, with which its load exceeds the guess.
  BOOST_TEST(placed == (Workers{2, 2, 2, 2, 0, 1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(without_communication_prediction_copies_take_no_time) {
  HandMadeMachine machine(0, 2);
  machine.data_on(5, {2});
  const ReadyTask task = machine.task(kNever, 10, modifies(5, 1'000'000));
  BOOST_TEST(machine.place(*dada({.alpha = 0}), {task}) == (Workers{0}), kPerElement);
  BOOST_TEST(machine.place(*dada({.alpha = 0, .communication_prediction = true}), {task}) == (Workers{1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(communication_prediction_counts_what_is_queued_on_the_links) {
  HandMadeMachine machine(0, 2);
  const auto policy = dada({.alpha = 0, .communication_prediction = true});
  const ReadyTask task = machine.task(kNever, 10, modifies(5));
  BOOST_TEST(machine.place(*policy, {task}) == (Workers{0}), kPerElement);
  machine.predictions.traffic.in[1] = 50'000;
  BOOST_TEST(machine.place(*policy, {task}) == (Workers{1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(data_in_host_memory_draw_tasks_to_cores_only_if_the_host_counts) {
  HandMadeMachine machine(2, 1);
  machine.data_on(5, {0});
  const ReadyTask task = machine.task(10, 10, modifies(5));
  BOOST_TEST(machine.place(*dada({}), {task}) == (Workers{2}), kPerElement);
  BOOST_TEST(machine.place(*dada({.host = true}), {task}) == (Workers{0}), kPerElement);
}

BOOST_AUTO_TEST_CASE(the_affinity_function_decides_what_draws) {
  HandMadeMachine machine(0, 2);
  machine.data_on(5, {2}).data_on(6, {1});
  const ReadyTask task = machine.task(
      kNever, 10, {HandMadeMachine::use(5, AccessMode::read, 900), HandMadeMachine::use(6, AccessMode::write, 100)});
  BOOST_TEST(machine.place(*dada({}), {task}) == (Workers{0}), kPerElement);
  BOOST_TEST(machine.place(*dada({.affinity = used_there}), {task}) == (Workers{1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(what_loads_start_from_decides_whether_a_busy_worker_draws) {
  HandMadeMachine machine(0, 2);
  machine.load(0, 100).data_on(5, {1});
  const ReadyTask task = machine.task(kNever, 10, modifies(5));
  const auto placed = [&](Loads loads) { return machine.place(*dada({.loads = loads}), {task}); };
  BOOST_TEST(placed(Loads::queued) == (Workers{0}), kPerElement);
  BOOST_TEST(placed(Loads::both) == (Workers{1}), kPerElement);
  BOOST_TEST(placed(Loads::zero) == (Workers{0}), kPerElement);
  BOOST_TEST(placed(Loads::stamps) == (Workers{0}), kPerElement);
}

BOOST_AUTO_TEST_CASE(what_loads_start_from_decides_the_balance_without_data) {
  HandMadeMachine machine(0, 2);
  machine.load(0, 100);
  const std::vector<ReadyTask> tasks{machine.task(kNever, 10), machine.task(kNever, 10)};
  const auto placed = [&](Loads loads) { return machine.place(*dada({.loads = loads}), tasks); };
  BOOST_TEST(placed(Loads::queued) == (Workers{1, 1}), kPerElement);
  BOOST_TEST(placed(Loads::both) == (Workers{1, 1}), kPerElement);
  BOOST_TEST(placed(Loads::zero) == (Workers{1, 0}), kPerElement);
  BOOST_TEST(placed(Loads::stamps) == (Workers{1, 1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_kind_that_is_missing_or_cannot_run_a_task_is_no_obstacle) {
  HandMadeMachine cores(2, 0);
  BOOST_TEST(cores.place(*dada({}), {cores.task(10, kNever), cores.task(10, kNever)}) == (Workers{0, 1}), kPerElement);
  HandMadeMachine gpus(0, 2);
  BOOST_TEST(gpus.place(*dada({}), {gpus.task(kNever, 10), gpus.task(kNever, 10)}) == (Workers{0, 1}), kPerElement);
  HandMadeMachine both(1, 1);
  BOOST_TEST(both.place(*dada({}), {both.task(kNever, 10), both.task(10, kNever)}) == (Workers{1, 0}), kPerElement);
}

BOOST_AUTO_TEST_CASE(data_on_a_worker_that_cannot_run_the_task_do_not_count) {
  HandMadeMachine machine(1, 2);
  machine.data_on(5, {1}).data_on(6, {2});
  ReadyTask task = machine.task(kNever, 10, {modifies(5, 1000)[0], modifies(6, 10)[0]});
  machine.predictions.execution_times.set(task.size_class, WorkerId(1), ExecutionTimes::kNever);
  BOOST_TEST(machine.place(*dada({}), {task}) == (Workers{2}), kPerElement);
}

BOOST_AUTO_TEST_CASE(tasks_of_which_nothing_is_known_are_placed) {
  HandMadeMachine machine(1, 1);
  ReadyTask task = machine.task(1, kNever);
  task.size_class = SizeClassId{};
  BOOST_TEST(machine.place(*dada({}), {task, task}) == (Workers{0, 0}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_later_decision_knows_nothing_of_an_earlier_one) {
  HandMadeMachine machine(1, 2);
  const auto policy = dada({});
  std::vector<ReadyTask> many;
  for (int t = 0; t < 20; ++t) many.push_back(machine.task(30, 10));
  const Workers first = machine.place(*policy, {many[0]});
  (void)machine.place(*policy, many);
  BOOST_TEST(machine.place(*policy, {many[0]}) == first, kPerElement);
}

BOOST_AUTO_TEST_CASE(it_decides_in_rounds_if_it_is_told_to) {
  BOOST_TEST(!dada({})->policy_traits().in_rounds);
  BOOST_TEST(dada({.rounds = true})->policy_traits().in_rounds);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
