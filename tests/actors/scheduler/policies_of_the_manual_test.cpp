#include "tests/actors/scheduler/policies_of_the_manual.hpp"

#include <boost/test/unit_test.hpp>
#include <map>

#include "actors/scheduler/scheduler_core.hpp"
#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(policies_of_the_manual)

namespace {

using tests::HandMadeMachine;
using Kind = graph::TaskEvent::Kind;
const auto kPerElement = boost::test_tools::per_element();

BOOST_AUTO_TEST_CASE(thrifty_moves_less_where_that_costs_little_time) {
  HandMadeMachine machine(0, 2);
  machine.data_on(5, {2}).load(1, 4);
  const ReadyTask task = machine.task(HandMadeMachine::kNever, 10, {HandMadeMachine::use(5, AccessMode::read, 1000)});
  // The task ends after 11 us on the first worker. It ends after 14 us on the second worker, which has the data.
  Thrifty strict(0.2);
  Thrifty lenient(0.4);
  BOOST_TEST(machine.place(strict, {task}) == (std::vector<int>{0}), kPerElement);
  BOOST_TEST(machine.place(lenient, {task}) == (std::vector<int>{1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(thrifty_serves_the_longest_chain_first) {
  HandMadeMachine machine(1, 1);
  std::vector<ReadyTask> tasks{machine.task(30, 20), machine.task(30, 20)};
  tasks[1].upward_rank_s = 1;
  Thrifty policy(0);
  BOOST_TEST(machine.place(policy, tasks) == (std::vector<int>{0, 1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(first_idle_runs_under_the_scheduler) {
  HandMadeMachine machine(1, 0);
  SchedulerCore scheduler(std::make_unique<FirstIdle>(), {2, DeviceKind::cpu_core}, 1);
  std::vector<ReadyTask> tasks;
  for (int t = 0; t < 5; ++t) tasks.push_back(machine.task(10, HandMadeMachine::kNever));
  auto decision = scheduler.activated(tasks, machine.now());
  std::map<std::uint64_t, std::uint32_t> placed;
  while (!decision.placed.empty()) {
    BOOST_TEST(decision.failure.empty());
    const Placed one = decision.placed.front();
    for (const Placed& each : decision.placed) placed[each.task.value()] = each.worker.value();
    scheduler.happened({.kind = Kind::started, .worker = one.worker, .task = one.task, .at = machine.now()});
    scheduler.happened({.kind = Kind::ended,
                        .worker = one.worker,
                        .task = one.task,
                        .at = machine.now(),
                        .took = HandMadeMachine::us(10)});
    decision = scheduler.ended(machine.now());
  }
  BOOST_TEST((placed == std::map<std::uint64_t, std::uint32_t>{{0, 0}, {1, 1}, {2, 0}, {3, 0}, {4, 0}}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
