// Tests when a worker runs pieces of other workers' tasks.
#include <boost/test/unit_test.hpp>
#include <string>

#include "actors/workers/worker_core.hpp"
#include "tests/actors/workers/core_fixture.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

namespace worker_core_pieces {

using tests::Lines;
const auto kPerElement = boost::test_tools::per_element();

struct Fixture : tests::CoreFixture {
  const Codelet codelet =
      Codelet("pieces", {}).pieces([](const KernelContext&) { return 0; }, [](std::size_t, const KernelContext&) {});

  explicit Fixture(StealPlan plan = tests::one_ring(4),
                   WorkerCore::Options options = {.self = tests::kFirst, .seed = 7})
      : CoreFixture(std::move(plan), options) {}

  SharedPieces& open(WorkerId owner, std::uint32_t pieces) {
    graph::Task& shared = *task("shared");
    shared.codelet = &codelet.definition();
    return crew.ports[owner.index()].board.open(shared, owner, 1, pieces, 1);
  }
};

struct Placing : Fixture {
  Placing() : Fixture(StealPlan{.victims = std::vector<VictimRings>(4)}) {}
};
}  // namespace worker_core_pieces

BOOST_FIXTURE_TEST_SUITE(worker_core_pieces, Fixture)

BOOST_AUTO_TEST_CASE(pieces_come_after_own_tasks_and_before_stealing) {
  open(WorkerId(2), 5);
  deque(WorkerId(1)).push(task("elsewhere"));
  deque(tests::kFirst).push(task("own"));
  crew.entry.push(task("nobody's"));
  BOOST_TEST_REQUIRE(steps() == (Lines{"start own"}), kPerElement);
  core.task_ended(*started[0], nullptr);
  BOOST_TEST_REQUIRE(steps() == (Lines{"start nobody's"}), kPerElement);
  core.task_ended(*started[1], nullptr);
  BOOST_TEST(steps() == (Lines{"help worker 2 from piece 0"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(tasks_are_stolen_when_no_piece_is_left) {
  SharedPieces& shared = open(WorkerId(2), 1);
  deque(WorkerId(1)).push(task("elsewhere"));
  BOOST_TEST(steps() == (Lines{"help worker 2 from piece 0"}), kPerElement);
  // The device works on the pieces, which count as one running task.
  BOOST_TEST(core.running() == 1U);
  core.helped({&shared, 1, {}, false});
  BOOST_TEST(!shared.leave({&shared, 1, {}, false}));
  BOOST_TEST(steps() == (Lines{"steal from 1"}), kPerElement);
}

BOOST_FIXTURE_TEST_CASE(pieces_are_taken_where_tasks_are_placed, Placing) {
  open(WorkerId(3), 2);
  BOOST_TEST(steps() == (Lines{"help worker 3 from piece 0"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(an_accelerator_neither_helps_nor_is_woken_for_it) {
  Crew mixed(tasks.graph, {DeviceKind::emulated, DeviceKind::cpu_core, DeviceKind::cpu_core}, tests::one_ring(3));
  graph::Task& shared_task = *task("shared");
  shared_task.codelet = &codelet.definition();
  const SharedPieces& shared = mixed.ports[1].board.open(shared_task, WorkerId(1), 1, 5, 1);
  BOOST_TEST(mixed.pieces_for(WorkerId(0)) == nullptr);
  BOOST_TEST(mixed.pieces_for(WorkerId(2)) == &shared);
  // The worker that began the task does not count as a helper.
  BOOST_TEST(mixed.pieces_for(WorkerId(1)) == nullptr);
  mixed.idle.insert(WorkerId(0));
  BOOST_TEST(!mixed.take_idle_for(shared, WorkerId(1)).valid());
  mixed.idle.insert(WorkerId(2));
  BOOST_TEST((mixed.take_idle_for(shared, WorkerId(1)) == WorkerId(2)));
}

BOOST_AUTO_TEST_CASE(who_helps_wakes_the_next_while_pieces_are_left) {
  crew.idle.insert(WorkerId(3));
  SharedPieces& shared = open(WorkerId(2), 2);
  BOOST_TEST(steps() == (Lines{"wake 3", "help worker 2 from piece 0"}), kPerElement);
  core.helped({&shared, 1, {}, false});
  crew.idle.insert(WorkerId(3));
  BOOST_TEST(steps() == (Lines{"help worker 2 from piece 1"}), kPerElement);
  BOOST_TEST(crew.idle.contains(WorkerId(3)));
}

BOOST_AUTO_TEST_CASE(who_waits_for_its_device_is_not_woken_for_pieces) {
  const SharedPieces& shared = open(WorkerId(2), 5);
  crew.idle.insert(WorkerId(1));
  crew.ports[1].running = task("long");
  BOOST_TEST(!crew.take_idle_for(shared, WorkerId(2)).valid());
  crew.ports[1].running = nullptr;
  BOOST_TEST((crew.take_idle_for(shared, WorkerId(2)) == WorkerId(1)));
}

BOOST_AUTO_TEST_CASE(nobody_sleeps_while_there_are_pieces) {
  SharedPieces& shared = open(WorkerId(2), 1);
  BOOST_TEST(core.finds_work());
  BOOST_TEST(!core.park());
  (void)shared.take();
  BOOST_TEST(!core.finds_work());
  BOOST_TEST(core.park());
}

BOOST_AUTO_TEST_CASE(a_worker_that_closes_helps_nobody) {
  open(WorkerId(2), 5);
  BOOST_TEST(!core.is_wanted());
  crew.ports[0].standing.set(RegroupingState::drains_to_help);
  BOOST_TEST(core.is_wanted());
  BOOST_TEST(steps() == (Lines{"stand by"}), kPerElement);
}

BOOST_AUTO_TEST_CASE(what_it_was_given_comes_before_the_rest_of_the_pieces) {
  open(WorkerId(2), 5);
  deque(tests::kFirst).push(task("own"));
  BOOST_TEST(core.is_wanted());
}

BOOST_AUTO_TEST_CASE(who_helps_last_ends_the_task_and_counts_its_pieces) {
  SharedPieces& shared = open(WorkerId(2), 3);
  graph::Task& task = shared.task();
  (void)shared.take();
  BOOST_TEST(steps() == (Lines{"help worker 2 from piece 1"}), kPerElement);
  (void)shared.take();
  BOOST_TEST(!shared.leave({&shared, 1, {}, true}));
  const PiecesDone pieces{&shared, 2, {}, false};
  core.helped(pieces);
  BOOST_TEST(shared.leave(pieces));
  core.last_piece_ended(task, shared.let_go().cause);
  BOOST_TEST(tasks.graph.progress().ended == 1U);
  BOOST_TEST(crew.ports[0].counters.pieces == 2U);
  BOOST_TEST(crew.ports[0].counters.stolen_pieces == 2U);
  BOOST_TEST(crew.ports[0].counters.tasks == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
