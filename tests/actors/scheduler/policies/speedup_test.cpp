#include "actors/scheduler/policies/speedup.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(speedups)

namespace {

using tests::HandMadeMachine;
constexpr int kNever = HandMadeMachine::kNever;

BOOST_AUTO_TEST_CASE(it_is_the_ratio_of_the_fastest_of_each_kind) {
  HandMadeMachine machine(2, 2);
  const ReadyTask task = machine.task(90, 5);
  machine.predictions.execution_times.set(task.size_class, WorkerId(1), HandMadeMachine::us(60));
  machine.predictions.execution_times.set(task.size_class, WorkerId(3), HandMadeMachine::us(3));
  BOOST_TEST(speedup(task, machine.snapshot()) == 20, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(what_one_kind_cannot_run_is_at_the_end_of_the_other) {
  HandMadeMachine machine(1, 1);
  BOOST_TEST(std::isinf(speedup(machine.task(kNever, 5), machine.snapshot())));
  BOOST_TEST(speedup(machine.task(5, kNever), machine.snapshot()) == 0);
  BOOST_TEST(speedup(machine.task(kNever, kNever), machine.snapshot()) == 1);
}

BOOST_AUTO_TEST_CASE(without_known_times_only_the_codelet_counts) {
  HandMadeMachine machine(1, 1);
  ReadyTask task = machine.task(5, kNever);
  task.size_class = SizeClassId{};
  BOOST_TEST(speedup(task, machine.snapshot()) == 0);
  task = machine.task(0, 0);
  BOOST_TEST(speedup(task, machine.snapshot()) == 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
