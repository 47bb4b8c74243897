#include "actors/scheduler/models/predictions.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::scheduler {

namespace predictions {

using tests::HandMadeMachine;
using namespace std::chrono_literals;

/// Node 0 is the host; nodes 1, 2 and 3 are GPUs. A byte takes half a nanosecond between GPUs 1 and 2, and one
/// nanosecond between all other nodes.
struct Fixture {
  Fixture() { machine.link(1, 2, 100ns, 0.5).link(2, 1, 100ns, 0.5); }

  HandMadeMachine machine{1, 3};
  Predictions& predictions = machine.predictions;
};

}  // namespace predictions

BOOST_FIXTURE_TEST_SUITE(predictions, Fixture)

BOOST_AUTO_TEST_CASE(times_are_kept_by_class_and_worker) {
  const ReadyTask task = machine.task(30, HandMadeMachine::kNever);
  BOOST_TEST((predictions.execution(task, WorkerId(0)) == 30us));
  BOOST_TEST((predictions.execution(task, WorkerId(3)) == ExecutionTimes::kNever));
  ReadyTask unknown = task;
  unknown.size_class = SizeClassId{};
  BOOST_TEST((predictions.execution(unknown, WorkerId(0)) == Duration::zero()));
  unknown.size_class = SizeClassId(7);
  BOOST_TEST((predictions.execution(unknown, WorkerId(0)) == Duration::zero()));
  BOOST_TEST(!predictions.execution_times.has(SizeClassId(7)));
}

BOOST_AUTO_TEST_CASE(a_copy_comes_from_where_it_is_fastest) {
  machine.data_on(5, {0, 1});
  BOOST_TEST((predictions.source(HandleId(5), NodeId(2)) == NodeId(1)));
  // If several nodes would send the data equally fast, the node with the lowest number is the source.
  BOOST_TEST((predictions.source(HandleId(5), NodeId(3)) == NodeId(0)));
  machine.data_on(5, {1, 3});
  BOOST_TEST((predictions.source(HandleId(5), NodeId(0)) == NodeId(1)));
}

BOOST_AUTO_TEST_CASE(any_number_of_nodes_are_told_apart) {
  HandMadeMachine many(1, 199);
  many.link(70, 134, 0ns, 0.5);
  // The sets of nodes are words of 64 bits, in which the nodes 6, 70 and 134 have the same bit position.
  many.data_on(5, {6, 70});
  const ReplicaMap& replicas = many.predictions.replicas;
  BOOST_TEST((replicas.valid(HandleId(5), NodeId(6)) && replicas.valid(HandleId(5), NodeId(70))));
  BOOST_TEST((!replicas.valid(HandleId(5), NodeId(134)) && !replicas.valid(HandleId(5), NodeId(0))));
  BOOST_TEST((many.predictions.source(HandleId(5), NodeId(134)) == NodeId(70)));
  BOOST_TEST((many.predictions.source(HandleId(5), NodeId(135)) == NodeId(6)));
  many.predictions.replicas.set(HandleId(5), NodeId(70), false, true);
  BOOST_TEST((!replicas.valid(HandleId(5), NodeId(70)) && replicas.incoming(HandleId(5), NodeId(70))));
  BOOST_TEST((replicas.valid(HandleId(5), NodeId(6)) && !replicas.incoming(HandleId(5), NodeId(6))));
}

BOOST_AUTO_TEST_CASE(what_nothing_is_known_of_is_on_the_host) {
  BOOST_TEST((predictions.source(HandleId(9), NodeId(2)) == NodeId(0)));
  BOOST_TEST(predictions.replicas.valid(HandleId(9), NodeId(0)));
  BOOST_TEST(!predictions.replicas.valid(HandleId(9), NodeId(1)));
}

BOOST_AUTO_TEST_CASE(only_what_is_read_and_neither_there_nor_coming_is_missing) {
  machine.data_on(1, {0}).data_on(2, {0}).data_on(3, {2}).data_on(4, {0});
  predictions.replicas.set(HandleId(4), NodeId(2), false, true);
  const ReadyTask task = machine.task(
      1, 1,
      {HandMadeMachine::use(1, AccessMode::read, 1), HandMadeMachine::use(2, AccessMode::write, 10),
       HandMadeMachine::use(3, AccessMode::read_write, 100), HandMadeMachine::use(4, AccessMode::read, 1000)});
  BOOST_TEST(predictions.missing(task, NodeId(0)).count == 100U);
  BOOST_TEST(predictions.missing(task, NodeId(1)).count == 1101U);
  BOOST_TEST(predictions.missing(task, NodeId(2)).count == 1U);
}

BOOST_AUTO_TEST_CASE(copies_are_counted_one_after_the_other) {
  machine.data_on(1, {1}).data_on(2, {0}).data_on(3, {2});
  const ReadyTask task =
      machine.task(1, 1,
                   {HandMadeMachine::use(1, AccessMode::read, 1000), HandMadeMachine::use(2, AccessMode::commute, 2000),
                    HandMadeMachine::use(3, AccessMode::read, 4000)});
  // Copying the data from node 1 takes 100 + 500 ns, copying the other data from the host 2000 ns.
  BOOST_TEST((predictions.transfer(task, NodeId(2)) == 2600ns));
  BOOST_TEST((predictions.transfer(task, NodeId(0)) == 5000ns));
  BOOST_TEST((predictions.transfer(machine.task(1, 1), NodeId(0)) == 0ns));
}

BOOST_AUTO_TEST_CASE(in_traffic_copies_wait_behind_the_busiest_end) {
  machine.data_on(1, {0});
  const ReadyTask task = machine.task(1, 1, {HandMadeMachine::use(1, AccessMode::read, 1000)});
  BOOST_TEST((predictions.transfer_in_traffic(task, NodeId(1)) == 1000ns));
  predictions.traffic.out[0] = 500;
  BOOST_TEST((predictions.transfer_in_traffic(task, NodeId(1)) == 1500ns));
  predictions.traffic.in[1] = 700;
  BOOST_TEST((predictions.transfer_in_traffic(task, NodeId(1)) == 1700ns));
  BOOST_TEST((predictions.transfer_in_traffic(task, NodeId(2)) == 1500ns));
  BOOST_TEST((predictions.transfer(task, NodeId(1)) == 1000ns));
}

BOOST_AUTO_TEST_CASE(traffic_does_not_matter_to_what_needs_no_copy) {
  machine.data_on(1, {1});
  predictions.traffic.in[1] = 1000;
  const ReadyTask task = machine.task(1, 1, {HandMadeMachine::use(1, AccessMode::read, 1000)});
  BOOST_TEST((predictions.transfer_in_traffic(task, NodeId(1)) == 0ns));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
