#include "actors/scheduler/policies/heteroprio.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <vector>

#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::scheduler {

namespace heteroprio_policy {

using tests::HandMadeMachine;
using Placement = std::map<std::uint64_t, std::uint32_t>;
constexpr int kNever = HandMadeMachine::kNever;

struct Fixture {
  /// Tells the policy that the tasks are ready. The policy must not place any of them yet.
  void ready(HandMadeMachine& machine, const std::vector<ReadyTask>& tasks) {
    for (const int worker : machine.place(*policy, tasks)) BOOST_TEST(worker == -1);
  }
  static ReadyTask urgent(ReadyTask task, int priority, double rank_s = 0) {
    task.priority = priority;
    task.upward_rank_s = rank_s;
    return task;
  }

  std::unique_ptr<PlacingPolicy> policy = heteroprio({.ahead = 0});
};

}  // namespace heteroprio_policy

BOOST_FIXTURE_TEST_SUITE(heteroprio_policy, Fixture)

BOOST_AUTO_TEST_CASE(it_keeps_tasks_and_asks_for_ranks) {
  BOOST_TEST(policy->policy_traits().keeps);
  BOOST_TEST(!policy->policy_traits().in_rounds);
  BOOST_TEST((policy->policy_traits().ranks == Ranks::fastest));
}

BOOST_AUTO_TEST_CASE(a_gpu_takes_the_largest_speedup_and_a_core_the_smallest) {
  HandMadeMachine machine(1, 1);
  ready(machine, {machine.task(20, 10), machine.task(80, 10), machine.task(10, 10), machine.task(40, 10)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 1}, {2, 0}}));
  BOOST_TEST((machine.place_kept(*policy) == Placement{{3, 1}, {0, 0}}));
  BOOST_TEST(machine.place_kept(*policy).empty());
}

BOOST_AUTO_TEST_CASE(busy_workers_get_nothing) {
  HandMadeMachine machine(1, 1);
  ready(machine, {machine.task(10, 10), machine.task(10, 10)});
  machine.load(0, 5).load(1, 5);
  BOOST_TEST(machine.place_kept(*policy).empty());
  machine.load(0, 0);
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 0}}));
}

BOOST_AUTO_TEST_CASE(a_gpu_has_one_task_more_for_its_data_to_come_meanwhile) {
  policy = heteroprio({});
  HandMadeMachine machine(0, 2);
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 6; ++t) tasks.push_back(machine.task(kNever, 10));
  ready(machine, tasks);
  // The policy gives the tasks one by one to the GPU that will be free first.
  BOOST_TEST((machine.place_kept(*policy) == Placement{{0, 0}, {1, 1}, {2, 0}, {3, 1}}));
  machine.load(0, 20, 1).load(1, 10, 0);
  BOOST_TEST((machine.place_kept(*policy) == Placement{{4, 1}}));
}

BOOST_AUTO_TEST_CASE(of_equal_tasks_a_gpu_takes_the_most_urgent_and_a_core_the_least_urgent) {
  HandMadeMachine machine(1, 1);
  const SizeClassId faster_on_gpus = machine.size_class(20, 10);
  ready(machine, {urgent(machine.of_class(faster_on_gpus), 1), urgent(machine.of_class(faster_on_gpus), 3),
                  urgent(machine.of_class(faster_on_gpus), 0), urgent(machine.of_class(faster_on_gpus), 2)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 1}, {2, 0}}));
}

BOOST_AUTO_TEST_CASE(what_cores_are_better_at_is_served_to_them_most_urgent_first) {
  HandMadeMachine machine(1, 1);
  const SizeClassId faster_on_cores = machine.size_class(10, 20);
  ready(machine, {urgent(machine.of_class(faster_on_cores), 1), urgent(machine.of_class(faster_on_cores), 3),
                  urgent(machine.of_class(faster_on_cores), 0)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 0}, {2, 1}}));
}

BOOST_AUTO_TEST_CASE(of_the_same_priority_the_longer_chain_is_more_urgent_and_then_the_older_task) {
  HandMadeMachine machine(0, 1);
  const SizeClassId same = machine.size_class(kNever, 10);
  ready(machine, {urgent(machine.of_class(same), 0, 0.5), urgent(machine.of_class(same), 0, 2),
                  urgent(machine.of_class(same), 0, 2)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 0}}));
  BOOST_TEST((machine.place_kept(*policy) == Placement{{2, 0}}));
  BOOST_TEST((machine.place_kept(*policy) == Placement{{0, 0}}));
}

BOOST_AUTO_TEST_CASE(a_core_leaves_what_the_gpus_would_end_earlier) {
  HandMadeMachine machine(1, 1);
  const SizeClassId gemm = machine.size_class(300, 10);
  ready(machine, {machine.of_class(gemm), machine.of_class(gemm)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{0, 1}}));
  // The core takes a task only if the core would end this task before the GPU would end all waiting tasks.
  machine.load(1, 10);
  std::vector<ReadyTask> many;
  for (int t = 0; t < 27; ++t) many.push_back(machine.of_class(gemm));
  ready(machine, many);
  // The GPU is busy for 10 us and needs 280 us for 28 tasks. The core would need 300 us for one task and end later.
  BOOST_TEST(machine.place_kept(*policy).empty());
  ready(machine, {machine.of_class(gemm)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{29, 0}}));
}

BOOST_AUTO_TEST_CASE(tasks_of_a_smaller_speedup_do_not_make_a_core_take_one_of_a_larger) {
  HandMadeMachine machine(1, 1);
  machine.load(1, 10);
  ready(machine, {machine.task(60, 10), machine.task(75, 15)});
  // The GPU is busy for 10 us and would end both tasks at 35 us. The core would end its first task only later.
  BOOST_TEST(machine.place_kept(*policy).empty());
}

BOOST_AUTO_TEST_CASE(a_core_that_leaves_one_takes_the_next_that_it_would_end_in_time) {
  HandMadeMachine machine(1, 1);
  machine.load(1, 10);
  // The GPU would end the first task after 10 + 2 + 50 us, earlier than the core, which needs 100 us. The core would
  // end the second task after 8 us, earlier than the GPU, which needs 10 + 2 us.
  ready(machine, {machine.task(100, 50), machine.task(8, 2)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 0}}));
}

BOOST_AUTO_TEST_CASE(what_only_one_kind_can_run_goes_there) {
  HandMadeMachine machine(1, 1);
  ready(machine, {machine.task(500, kNever), machine.task(kNever, 500)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{0, 0}, {1, 1}}));
}

BOOST_AUTO_TEST_CASE(what_only_cores_can_run_is_taken_most_urgent_first) {
  HandMadeMachine machine(1, 0);
  const SizeClassId same = machine.size_class(10, kNever);
  ready(machine, {urgent(machine.of_class(same), 1), urgent(machine.of_class(same), 2)});
  BOOST_TEST((machine.place_kept(*policy) == Placement{{1, 0}}));
}

BOOST_AUTO_TEST_CASE(tasks_of_which_nothing_is_known_are_served_as_well) {
  HandMadeMachine machine(1, 1);
  ReadyTask on_cores = machine.task(1, kNever);
  ReadyTask on_both = machine.task(1, 1);
  on_cores.size_class = on_both.size_class = SizeClassId{};
  ready(machine, {on_cores, on_both});
  const Placement placed = machine.place_kept(*policy);
  BOOST_TEST((placed == Placement{{0, 0}, {1, 1}}));
}

BOOST_AUTO_TEST_CASE(on_an_idle_machine_somebody_always_gets_something) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    HandMadeMachine machine(static_cast<int>(1 + random.below(3)), static_cast<int>(random.below(3)));
    const auto keeping = heteroprio({.ahead = random.below(3)});
    std::vector<ReadyTask> tasks;
    const bool gpus = machine.workers().back().kind == DeviceKind::cuda;
    for (std::uint64_t left = 1 + random.below(8); left > 0; --left) {
      const int cpu = static_cast<int>(random.below(1000));
      const int gpu = static_cast<int>(random.below(100));
      const std::uint64_t never = gpus ? random.below(6) : 1;
      tasks.push_back(machine.task(never == 0 ? kNever : cpu, never == 1 ? kNever : gpu));
    }
    (void)machine.place(*keeping, tasks);
    std::size_t placed = 0;
    while (placed < tasks.size()) {
      const std::size_t now = machine.place_kept(*keeping).size();
      BOOST_TEST_REQUIRE(now > 0U, "seed " << seed);
      placed += now;
    }
    BOOST_TEST(placed == tasks.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
