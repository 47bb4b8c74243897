#include "actors/scheduler/policies/homeward.hpp"

#include <boost/test/unit_test.hpp>
#include <map>

#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(homeward_policy)

namespace {

using tests::HandMadeMachine;
using Placement = std::map<std::uint64_t, std::uint32_t>;

ReadyTask ranked(ReadyTask task, int rank_us) {
  task.upward_rank_s = rank_us * 1e-6;
  return task;
}

/// Makes `tasks` ready. Returns the tasks that the policy then places, each with its worker.
Placement let_go(PlacingPolicy& policy, HandMadeMachine& machine, const std::vector<ReadyTask>& tasks) {
  (void)machine.place(policy, tasks);
  return machine.place_kept(policy);
}

BOOST_AUTO_TEST_CASE(it_keeps_tasks_and_asks_for_ranks) {
  const auto policy = homeward();
  BOOST_TEST(policy->policy_traits().keeps);
  BOOST_TEST((policy->policy_traits().ranks == Ranks::fastest));
  HandMadeMachine machine(1, 1);
  BOOST_TEST(machine.place(*policy, {machine.task(100, 10)}) == std::vector<int>{-1}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_task_goes_to_the_gpu_that_has_its_data_rather_than_to_one_that_is_free_a_kernel_earlier) {
  HandMadeMachine machine(0, 2);
  machine.data_on(1, {2}).load(1, 8);
  const auto gemm = machine.size_class(HandMadeMachine::kNever, 10);
  machine.predictions.left = {100};
  const auto policy = homeward();
  // Worker 0 would copy the data for 5 us, worker 1 would wait for 8 us. Then each would run the task for 10 us.
  const ReadyTask task = ranked(machine.of_class(gemm, {machine.use(1, AccessMode::read_write, 5000)}), 10);
  BOOST_TEST((let_go(*policy, machine, {task}) == Placement{{0, 1}}));
}

BOOST_AUTO_TEST_CASE(it_does_not_wait_for_its_data_where_the_delay_exceeds_the_tolerance) {
  HandMadeMachine machine(0, 2);
  machine.data_on(1, {2}).load(1, 40);
  const auto gemm = machine.size_class(HandMadeMachine::kNever, 10);
  // No other task is left, so a delay of this task delays the whole run.
  machine.predictions.left = {1};
  const auto policy = homeward();
  const ReadyTask task = ranked(machine.of_class(gemm, {machine.use(1, AccessMode::read_write, 5000)}), 10);
  BOOST_TEST((let_go(*policy, machine, {task}) == Placement{{0, 0}}));
}

BOOST_AUTO_TEST_CASE(where_the_longest_chain_exceeds_the_work_no_task_on_it_is_delayed_to_move_less) {
  for (const int rank_us : {10, 10000}) {
    HandMadeMachine machine(0, 2);
    machine.data_on(1, {2}).load(1, 8);
    const auto gemm = machine.size_class(HandMadeMachine::kNever, 10);
    // The two GPUs have 500 us of work left: 100 tasks of 10 us.
    machine.predictions.left = {100};
    const auto policy = homeward();
    const ReadyTask task = ranked(machine.of_class(gemm, {machine.use(1, AccessMode::read_write, 5000)}), rank_us);
    // On the worker that has the task's data, the task would end after 18 us; on the other worker, after 15 us.
    const std::uint32_t expected = rank_us == 10 ? 1 : 0;
    BOOST_TEST((let_go(*policy, machine, {task}) == Placement{{0, expected}}));
  }
}

BOOST_AUTO_TEST_CASE(slack_widens_the_tolerance_up_to_four_kernels) {
  for (const int behind_us : {10, 1000}) {
    HandMadeMachine machine(0, 2);
    machine.data_on(1, {2}).load(1, 35);
    const auto gemm = machine.size_class(HandMadeMachine::kNever, 10);
    // The two GPUs have 1000 us of work left: 200 tasks of 10 us.
    machine.predictions.left = {200};
    const auto policy = homeward();
    const ReadyTask task = ranked(machine.of_class(gemm, {machine.use(1, AccessMode::read, 5000)}), behind_us);
    // On the worker that has the task's data, the task would end after 45 us; on the other worker, after 15 us.
    const std::uint32_t expected = behind_us == 10 ? 1 : 0;
    BOOST_TEST((let_go(*policy, machine, {task}) == Placement{{0, expected}}));
  }
}

BOOST_AUTO_TEST_CASE(data_that_are_written_weigh_more_than_data_that_are_read) {
  HandMadeMachine machine(0, 2);
  machine.data_on(1, {1}).data_on(2, {2});
  const auto gemm = machine.size_class(HandMadeMachine::kNever, 10);
  machine.predictions.left = {10};
  const auto policy = homeward();
  const ReadyTask task = ranked(
      machine.of_class(gemm, {machine.use(1, AccessMode::read, 3000), machine.use(2, AccessMode::read_write, 2000)}),
      10);
  BOOST_TEST((let_go(*policy, machine, {task}) == Placement{{0, 1}}));
}

BOOST_AUTO_TEST_CASE(gpus_get_the_highest_ranks_first_and_no_more_than_they_have_room_for) {
  HandMadeMachine machine(0, 1);
  const auto gemm = machine.size_class(HandMadeMachine::kNever, 10);
  machine.predictions.left = {4};
  const auto policy = homeward();
  std::vector<ReadyTask> tasks;
  for (const int rank_us : {10, 40, 30, 20}) tasks.push_back(ranked(machine.of_class(gemm), rank_us));
  BOOST_TEST((let_go(*policy, machine, tasks) == Placement{{1, 0}, {2, 0}}));
  machine.load(0, 20, 2);
  BOOST_TEST(machine.place_kept(*policy).empty());
  machine.load(0, 10, 1);
  BOOST_TEST((machine.place_kept(*policy) == Placement{{3, 0}}));
  machine.load(0, 0, 0);
  BOOST_TEST((machine.place_kept(*policy) == Placement{{0, 0}}));
}

BOOST_AUTO_TEST_CASE(an_idle_core_takes_the_task_that_gpus_gain_least_on_if_its_slack_allows) {
  HandMadeMachine machine(1, 1);
  machine.load(1, 1000, 2);
  const auto gemm = machine.size_class(300, 10);
  const auto trsm = machine.size_class(100, 20);
  machine.predictions.left = {100, 10};
  const auto policy = homeward();
  const std::vector<ReadyTask> tasks{ranked(machine.of_class(gemm), 10), ranked(machine.of_class(trsm), 20)};
  BOOST_TEST((let_go(*policy, machine, tasks) == Placement{{1, 0}}));
}

BOOST_AUTO_TEST_CASE(a_core_takes_nothing_that_would_be_the_last_to_end) {
  HandMadeMachine machine(1, 1);
  machine.load(1, 20, 2);
  const auto gemm = machine.size_class(300, 10);
  machine.predictions.left = {3};
  const auto policy = homeward();
  BOOST_TEST(let_go(*policy, machine, {ranked(machine.of_class(gemm), 10)}).empty());
}

/// Places a task that suits the core: it takes 85 us there and 30 us on a GPU, a speed-up of 2.8, while other tasks
/// have a speed-up of 30. The GPUs are free in 30 us, so a GPU would end the task after 60 us.
Placement panel_placement(int rank_us, int gpus) {
  HandMadeMachine machine(1, gpus);
  for (int gpu = 1; gpu <= gpus; ++gpu) machine.load(static_cast<std::uint32_t>(gpu), 30, 1);
  const auto panel = machine.size_class(85, 30);
  (void)machine.size_class(300, 10);
  machine.predictions.left = {5, 200};
  const auto policy = homeward();
  return let_go(*policy, machine, {ranked(machine.of_class(panel), rank_us)});
}

BOOST_AUTO_TEST_CASE(a_task_that_cores_are_better_off_with_goes_there_while_gpus_have_other_work) {
  BOOST_TEST((panel_placement(100, 2) == Placement{{0, 0}}));
}

BOOST_AUTO_TEST_CASE(on_the_longest_chain_it_takes_the_faster_device_unless_the_gpus_gain_more_than_the_chain_loses) {
  // If the core runs the task, the longest chain loses 25 us. A single GPU saves 30 us; with two GPUs, each saves 15
  // us.
  BOOST_TEST((panel_placement(5000, 2) == Placement{{0, 1}}));
  BOOST_TEST((panel_placement(5000, 1) == Placement{{0, 0}}));
}

BOOST_AUTO_TEST_CASE(where_gpus_would_run_out_of_work_meanwhile_it_takes_the_faster_device) {
  HandMadeMachine machine(1, 1);
  const auto panel = machine.size_class(90, 30);
  (void)machine.size_class(300, 10);
  machine.predictions.left = {5, 200};
  const auto policy = homeward();
  BOOST_TEST((let_go(*policy, machine, {ranked(machine.of_class(panel), 100)}) == Placement{{0, 1}}));
}

BOOST_AUTO_TEST_CASE(a_task_is_not_the_other_work_that_gpus_have_while_a_core_runs_it) {
  for (const bool other : {false, true}) {
    HandMadeMachine machine(1, 1);
    if (other) machine.load(1, 70, 1);
    const auto panel = machine.size_class(110, 70);
    (void)machine.size_class(300, 10);
    machine.predictions.left = {5, 200};
    const auto policy = homeward();
    const std::uint32_t expected = other ? 0 : 1;
    BOOST_TEST((let_go(*policy, machine, {ranked(machine.of_class(panel), 100)}) == Placement{{0, expected}}));
  }
}

BOOST_AUTO_TEST_CASE(an_idle_gpu_leaves_what_a_busy_core_will_end_earlier) {
  for (const int busy_us : {5, 200}) {
    HandMadeMachine machine(1, 1);
    machine.load(0, busy_us);
    const auto panel = machine.size_class(10, 100);
    (void)machine.size_class(300, 10);
    machine.predictions.left = {5, 200};
    const auto policy = homeward();
    const Placement expected = busy_us == 5 ? Placement{} : Placement{{0, 1}};
    BOOST_TEST((let_go(*policy, machine, {ranked(machine.of_class(panel), 100)}) == expected));
  }
}

/// Places 16 ready tasks with rising numbers and falling ranks. Each of two GPUs has room for 4000 bytes. Tasks 0 to 7
/// use data on the host. Later tasks use data of the first GPU if their number is even, else of the second GPU.
Placement by_data(std::uint64_t bytes_left, int task_without_slack = -1) {
  HandMadeMachine machine(0, 2);
  const auto gemm = machine.size_class(HandMadeMachine::kNever, 1000);
  machine.predictions.capacities = {Bytes{0}, Bytes{4000}, Bytes{4000}};
  machine.predictions.data_left = Bytes{bytes_left};
  machine.predictions.left = {1000};
  machine.data_on(1, {0}).data_on(2, {1}).data_on(3, {2});
  std::vector<ReadyTask> tasks;
  for (int i = 0; i < 16; ++i) {
    // Tasks 0 to 7 use data that neither GPU has.
    const std::uint64_t data = i < 8 ? 1 : i % 2 == 0 ? 2 : 3;
    const int rank_us = i == task_without_slack ? 1'000'000 : 2000 - i;
    tasks.push_back(ranked(machine.of_class(gemm, {machine.use(data, AccessMode::read, 500)}), rank_us));
  }
  const auto policy = homeward();
  return let_go(*policy, machine, tasks);
}

BOOST_AUTO_TEST_CASE(out_of_core_gpus_take_what_needs_the_fewest_copies) {
  BOOST_TEST((by_data(8001) == Placement{{8, 0}, {10, 0}, {9, 1}, {11, 1}}));
}

BOOST_AUTO_TEST_CASE(in_core_ranks_come_first) {
  const Placement placed = by_data(8000);
  BOOST_TEST_REQUIRE(placed.size() == 4U);
  for (const auto& [task, worker] : placed) BOOST_TEST(task < 4U);
}

BOOST_AUTO_TEST_CASE(out_of_core_what_has_no_slack_is_not_overtaken_by_what_is_near) {
  // Task 3 has no slack, so a GPU gets it, although its data must be copied to that GPU.
  const Placement placed = by_data(8001, 3);
  BOOST_TEST(placed.contains(3));
}

BOOST_AUTO_TEST_CASE(a_task_that_is_not_ready_is_placed_ahead_where_it_would_go_when_it_is) {
  HandMadeMachine machine(0, 2);
  machine.data_on(1, {2}).load(0, 10, 1).load(1, 10, 1);
  const auto gemm = machine.size_class(HandMadeMachine::kNever, 10);
  machine.predictions.left = {100};
  const auto policy = homeward();
  const ReadyTask task = ranked(machine.of_class(gemm, {machine.use(1, AccessMode::read_write, 5000)}), 10);
  BOOST_TEST(policy->places_ahead(task, WorkerId(1), machine.snapshot()));
  BOOST_TEST(!policy->places_ahead(task, WorkerId(0), machine.snapshot()));
  // `places_ahead` only answers a question. The policy does not add the task to the tasks that it places later.
  BOOST_TEST(machine.place_kept(*policy).empty());
}

BOOST_AUTO_TEST_CASE(what_is_ready_and_has_a_longer_chain_behind_it_comes_before_what_is_placed_ahead) {
  for (const int ready_us : {20, 5}) {
    HandMadeMachine machine(1, 1);
    // The GPU has its two tasks already, so it takes no other task.
    machine.load(1, 10, 2).load(0, 10);
    const auto gemm = machine.size_class(HandMadeMachine::kNever, 30);
    const auto trsm = machine.size_class(25, 10);
    machine.predictions.left = {1, 1};
    const auto policy = homeward({.least_tolerance = 0});
    BOOST_TEST(let_go(*policy, machine, {ranked(machine.of_class(gemm), ready_us)}).empty());
    const ReadyTask task = ranked(machine.of_class(trsm), 10);
    BOOST_TEST(policy->places_ahead(task, WorkerId(1), machine.snapshot()) == (ready_us == 5));
  }
}

BOOST_AUTO_TEST_CASE(a_task_that_no_worker_can_run_is_left_alone) {
  HandMadeMachine machine(1, 0);
  const auto gpu_only = machine.size_class(HandMadeMachine::kNever, 10);
  const auto policy = homeward();
  BOOST_TEST(let_go(*policy, machine, {ranked(machine.of_class(gpu_only), 10)}).empty());
}

BOOST_AUTO_TEST_CASE(without_predictions_tasks_are_spread_over_the_workers) {
  HandMadeMachine machine(3, 0);
  const auto unknown = machine.size_class(0, HandMadeMachine::kNever);
  const auto policy = homeward();
  std::vector<ReadyTask> tasks;
  for (int i = 0; i < 3; ++i) tasks.push_back(machine.of_class(unknown));
  const Placement placement = let_go(*policy, machine, tasks);
  BOOST_TEST(placement.size() == 3U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
