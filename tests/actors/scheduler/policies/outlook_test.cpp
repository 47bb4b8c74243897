#include "actors/scheduler/policies/outlook.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(outlook)

namespace {

using tests::HandMadeMachine;

const auto kClose = boost::test_tools::tolerance(1e-9);

Outlook look_at(const HandMadeMachine& machine) {
  Outlook outlook;
  outlook.look(machine.snapshot());
  return outlook;
}

BOOST_AUTO_TEST_CASE(nothing_left_takes_no_time) {
  HandMadeMachine machine(2, 1);
  BOOST_TEST(look_at(machine).rest_s() == 0);
  (void)machine.size_class(100, 10);
  machine.predictions.left = {0};
  BOOST_TEST(look_at(machine).rest_s() == 0);
}

BOOST_AUTO_TEST_CASE(one_class_is_shared_so_that_cores_and_gpus_end_together) {
  // In 100 us the two cores together run 2 tasks and the GPU runs 10, so 60 tasks take 500 us.
  HandMadeMachine machine(2, 1);
  (void)machine.size_class(100, 10);
  machine.predictions.left = {60};
  const Outlook outlook = look_at(machine);
  BOOST_TEST(outlook.rest_s() == 500e-6, kClose);
  BOOST_TEST(outlook.pivot() == 10, kClose);
  BOOST_TEST(outlook.kernel_s() == 10e-6, kClose);
}

BOOST_AUTO_TEST_CASE(cores_take_what_gpus_gain_least_on) {
  // The GPU's speed-up is 20 for class 0 and 2 for class 1. The core would need 300 us for all of class 1, the GPU 500
  // us for all of class 0. So the core also gets x tasks of class 0: (50 - x) * 10 = 300 + x * 200, x = 20 / 21.
  HandMadeMachine machine(1, 1);
  (void)machine.size_class(200, 10);
  (void)machine.size_class(30, 15);
  machine.predictions.left = {50, 10};
  const Outlook outlook = look_at(machine);
  BOOST_TEST(outlook.pivot() == 20, kClose);
  BOOST_TEST(outlook.rest_s() == (50 - 20.0 / 21) * 10e-6, kClose);
  BOOST_TEST(outlook.kernel_s() == (50 * 10e-6 + 10 * 15e-6) / 60, kClose);
}

BOOST_AUTO_TEST_CASE(unequal_devices_of_a_kind_share_a_class_as_they_are_fast_whatever_their_order) {
  // In 60 us the fast GPU runs 6 tasks, the slow GPU 2 and the core 1, so 45 tasks take 300 us.
  for (const std::uint32_t slow : {1U, 2U}) {
    HandMadeMachine machine(1, 2);
    const SizeClassId gemm = machine.size_class(60, 10);
    machine.predictions.execution_times.set(gemm, WorkerId(slow), HandMadeMachine::us(30));
    machine.predictions.left = {45};
    const Outlook outlook = look_at(machine);
    BOOST_TEST(outlook.rest_s() == 300e-6, kClose);
    // In 60 us a GPU of mean speed runs 4 tasks and the core runs 1.
    BOOST_TEST(outlook.speedup(gemm) == 4, kClose);
    BOOST_TEST(outlook.kernel_s() == 10e-6, kClose);
  }
}

BOOST_AUTO_TEST_CASE(a_device_that_cannot_run_a_class_takes_no_part_in_it) {
  HandMadeMachine machine(0, 2);
  const SizeClassId gemm = machine.size_class(HandMadeMachine::kNever, 10);
  machine.predictions.execution_times.set(gemm, WorkerId(0), ExecutionTimes::kNever);
  machine.predictions.left = {7};
  BOOST_TEST(look_at(machine).rest_s() == 70e-6, kClose);
}

BOOST_AUTO_TEST_CASE(what_only_one_kind_can_run_stays_there) {
  HandMadeMachine machine(1, 1);
  (void)machine.size_class(40, HandMadeMachine::kNever);
  (void)machine.size_class(HandMadeMachine::kNever, 10);
  machine.predictions.left = {5, 3};
  BOOST_TEST(look_at(machine).rest_s() == 200e-6, kClose);
  machine.predictions.left = {1, 30};
  BOOST_TEST(look_at(machine).rest_s() == 300e-6, kClose);
}

BOOST_AUTO_TEST_CASE(without_gpus_all_is_for_cores_and_the_other_way_round) {
  HandMadeMachine cores(4, 0);
  (void)cores.size_class(100, HandMadeMachine::kNever);
  cores.predictions.left = {8};
  BOOST_TEST(look_at(cores).rest_s() == 200e-6, kClose);
  BOOST_TEST(std::isinf(look_at(cores).pivot()));
  HandMadeMachine gpus(0, 2);
  (void)gpus.size_class(HandMadeMachine::kNever, 10);
  gpus.predictions.left = {8};
  BOOST_TEST(look_at(gpus).rest_s() == 40e-6, kClose);
  BOOST_TEST(look_at(gpus).pivot() == 0);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
