#include "actors/scheduler/projected_loads.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(projected_loads)

namespace {

using tests::HandMadeMachine;

Duration after_now(TimeStamp time) { return time - HandMadeMachine::now(); }
Duration us(int time) { return HandMadeMachine::us(time); }

BOOST_AUTO_TEST_CASE(a_worker_that_should_have_been_free_before_is_free_now) {
  HandMadeMachine machine(1, 0);
  machine.load(0, -50);
  const Snapshot snapshot = machine.snapshot();
  BOOST_TEST((ProjectedLoads(snapshot).available(WorkerId(0)) == machine.now()));
}

BOOST_AUTO_TEST_CASE(a_task_begins_when_the_worker_is_free_and_its_data_are_there) {
  HandMadeMachine machine(1, 0);
  machine.load(0, 20);
  const ReadyTask task = machine.task(10, 1);
  const Snapshot snapshot = machine.snapshot();
  const ProjectedLoads loads(snapshot);
  BOOST_TEST((after_now(loads.finish(task, machine.workers()[0], us(5))) == us(30)));
  BOOST_TEST((after_now(loads.finish(task, machine.workers()[0], us(25))) == us(35)));
}

BOOST_AUTO_TEST_CASE(a_worker_that_cannot_run_a_task_never_ends_it) {
  HandMadeMachine machine(1, 1);
  const ReadyTask task = machine.task(HandMadeMachine::kNever, 1);
  const Snapshot snapshot = machine.snapshot();
  const ProjectedLoads loads(snapshot);
  BOOST_TEST((loads.finish(task, machine.workers()[0], us(0)) == TimeStamp::max()));
  BOOST_TEST((loads.earliest(task, false).worker == WorkerId(1)));
  BOOST_TEST(!loads.earliest(machine.task(HandMadeMachine::kNever, HandMadeMachine::kNever), false).worker.valid());
}

BOOST_AUTO_TEST_CASE(what_is_added_moves_the_worker_and_leaves_the_snapshot) {
  HandMadeMachine machine(2, 0);
  const ReadyTask task = machine.task(10, 1);
  const Snapshot snapshot = machine.snapshot();
  ProjectedLoads loads(snapshot);
  const auto first = loads.earliest(task, false);
  BOOST_TEST((first.worker == WorkerId(0)));
  loads.add(first);
  BOOST_TEST((after_now(loads.available(WorkerId(0))) == us(10)));
  BOOST_TEST((loads.earliest(task, false).worker == WorkerId(1)));
  BOOST_TEST((snapshot.workers[0].available == machine.now()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
