#include "actors/scheduler/policies/multigrain.hpp"

#include <boost/test/unit_test.hpp>
#include <deque>
#include <map>
#include <vector>

#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::scheduler {

namespace multigrain_policy {

using tests::HandMadeMachine;
using Placement = std::map<std::uint64_t, std::uint32_t>;
constexpr int kNever = HandMadeMachine::kNever;

struct Fixture {
  /// Tells the policy that the tasks are ready. The policy must not place any of them yet.
  void ready(HandMadeMachine& machine, const std::vector<ReadyTask>& tasks) {
    for (const int worker : machine.place(*policy, tasks)) BOOST_TEST(worker == -1);
  }
  /// Returns a task of pieces for cores and GPUs.
  ReadyTask super_task(HandMadeMachine& machine, std::int64_t reuse = 0, int priority = 0, double flops = 0) {
    ReadyTask task = machine.task(10, 10);
    Codelet& codelet = codelets.emplace_back("super", std::vector<AccessMode>{});
    codelet.pieces([](const KernelContext&) { return 25; }, [](std::size_t, const KernelContext&) {});
    codelet.implement(DeviceKind::cuda, [](const KernelContext&) {});
    task.codelet = &codelet.definition();
    task.reuse = reuse;
    task.priority = priority;
    task.flops = flops;
    return task;
  }

  std::unique_ptr<PlacingPolicy> policy = multigrain({.ahead = 0});
  std::deque<Codelet> codelets;
};

}  // namespace multigrain_policy

BOOST_FIXTURE_TEST_SUITE(multigrain_policy, Fixture)

BOOST_AUTO_TEST_CASE(it_keeps_tasks_and_needs_no_times) {
  BOOST_TEST(policy->policy_traits().keeps);
  BOOST_TEST(!policy->policy_traits().uses_times);
  BOOST_TEST(policy->policy_traits().asks_reuse);
  BOOST_TEST((policy->policy_traits().ranks == Ranks::none));
}

BOOST_AUTO_TEST_CASE(accelerators_take_the_high_end_and_cores_the_low_end) {
  HandMadeMachine machine(1, 1);
  ready(machine, {super_task(machine, 3), super_task(machine, 9), super_task(machine, -1), super_task(machine, 5)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 1}, {2, 0}}));
  BOOST_TEST((machine.place_kept(*policy) == Placement{{3, 1}, {0, 0}}));
  BOOST_TEST(machine.place_kept(*policy).empty());
}

BOOST_AUTO_TEST_CASE(priority_comes_before_reuse_and_age_after) {
  HandMadeMachine machine(0, 1);
  ready(machine, {super_task(machine, 3), super_task(machine, 9), super_task(machine, 1, 1), super_task(machine, 9)});
  for (const std::uint64_t next : {2, 1, 3, 0}) {
    BOOST_TEST((machine.place_kept(*policy) == Placement{{next, 0}}));
  }
}

BOOST_AUTO_TEST_CASE(first_in_first_out_does_not_look_at_reuse) {
  policy = multigrain({.order = MultigrainOptions::Order::fifo, .ahead = 0});
  HandMadeMachine machine(1, 1);
  ready(machine, {super_task(machine, 3), super_task(machine, 9), super_task(machine, 1), super_task(machine, 5)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{0, 1}, {3, 0}}));
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 1}, {2, 0}}));
}

BOOST_AUTO_TEST_CASE(all_cores_together_have_one_super_task) {
  HandMadeMachine machine(3, 0);
  ready(machine, {super_task(machine, 2), super_task(machine, 1), super_task(machine, 3)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 0}}));
  machine.load(0, 5).open(0, 1);
  BOOST_TEST(machine.place_kept(*policy).empty());
  // Now workers have taken all pieces of super-task 1, although some of these pieces still run.
  machine.open(0, 0);
  BOOST_TEST((machine.place_kept(*policy) == Placement{{0, 1}}));
}

BOOST_AUTO_TEST_CASE(plain_tasks_go_to_any_core_that_has_nothing_to_do) {
  HandMadeMachine machine(3, 0);
  ready(machine, {super_task(machine), machine.task(10, kNever), machine.task(10, kNever)});
  machine.load(0, 5).open(0, 1);
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 1}, {2, 2}}));
}

BOOST_AUTO_TEST_CASE(what_only_cores_can_run_comes_first_there_and_the_most_urgent_first) {
  HandMadeMachine machine(1, 1);
  ReadyTask urgent = machine.task(10, kNever);
  urgent.priority = 7;
  ready(machine, {super_task(machine, 0, 9), super_task(machine, 0, 9), machine.task(10, kNever), urgent});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 1}, {0, 0}}));
  BOOST_TEST((machine.place_kept(*policy) == Placement{{2, 1}, {3, 0}}));
}

BOOST_AUTO_TEST_CASE(small_super_tasks_are_for_cores_where_there_are_any) {
  policy = multigrain({.least_flops = 1e6, .ahead = 0});
  HandMadeMachine machine(1, 1);
  ready(machine, {super_task(machine, 0, 0, 0.9e6), super_task(machine, 0, 0, 1e6)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{0, 0}, {1, 1}}));
  HandMadeMachine alone(0, 1);
  ready(alone, {super_task(alone, 0, 0, 0.9e6)});
  BOOST_TEST((alone.place_kept(*policy).size() == 1U));
}

BOOST_AUTO_TEST_CASE(an_accelerator_has_some_ahead_and_the_one_with_less_comes_first) {
  policy = multigrain({.ahead = 1});
  HandMadeMachine machine(0, 2);
  machine.load(0, 5);
  std::vector<ReadyTask> tasks;
  for (int i = 0; i < 5; ++i) tasks.push_back(super_task(machine));
  ready(machine, tasks);
  BOOST_TEST((machine.place_kept(*policy) == Placement{{0, 1}, {1, 0}, {2, 1}}));
}

BOOST_AUTO_TEST_CASE(what_the_highest_place_cannot_run_is_passed_over) {
  HandMadeMachine machine(1, 2);
  const ReadyTask of_second = machine.task_on({kNever, kNever, 10});
  ready(machine, {of_second, machine.task(kNever, 10)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 1}, {0, 2}}));
}

BOOST_AUTO_TEST_CASE(a_core_without_work_takes_back_unless_pieces_are_left) {
  BOOST_TEST(!policy->policy_traits().takes_back);
  policy = multigrain({.take_back = true});
  BOOST_TEST(policy->policy_traits().takes_back);
  HandMadeMachine machine(3, 1);
  machine.load(0, 5);
  BOOST_TEST(policy->taker(machine.snapshot()).value() == 1U);
  machine.load(1, 0, 1);
  BOOST_TEST(policy->taker(machine.snapshot()).value() == 2U);
  machine.open(0, 1);
  BOOST_TEST(!policy->taker(machine.snapshot()).valid());
  machine.open(0, 0).load(2, 5);
  BOOST_TEST(!policy->taker(machine.snapshot()).valid());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
