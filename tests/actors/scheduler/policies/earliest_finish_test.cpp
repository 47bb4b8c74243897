#include "actors/scheduler/policies/earliest_finish.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "tests/actors/scheduler/hand_made_machine.hpp"

namespace troupe::scheduler {

BOOST_AUTO_TEST_SUITE(earliest_finish_policies)

namespace {

using tests::HandMadeMachine;
using Workers = std::vector<int>;
using Order = EarliestFinishOptions::Order;
const auto kPerElement = boost::test_tools::per_element();
constexpr int kNever = HandMadeMachine::kNever;

std::vector<memory::Use> reads(std::uint64_t data, std::uint64_t bytes) {
  return {HandMadeMachine::use(data, AccessMode::read, bytes)};
}

BOOST_AUTO_TEST_CASE(a_task_goes_where_it_ends_first) {
  HandMadeMachine machine(1, 2);
  machine.load(0, 5).load(1, 40).load(2, 25);
  // The task would end at 35 us on workers 0 and 2 and at 50 us on worker 1. If the ends are equal, the lower worker
  // wins.
  BOOST_TEST(machine.place(*earliest_finish({.order = Order::given}), {machine.task(30, 10)}) == (Workers{0}),
             kPerElement);
  BOOST_TEST(machine.place(*earliest_finish({.order = Order::given}), {machine.task(31, 10)}) == (Workers{2}),
             kPerElement);
}

BOOST_AUTO_TEST_CASE(what_is_placed_counts_for_the_next) {
  HandMadeMachine machine(2, 1);
  const std::vector<ReadyTask> tasks(5, machine.task(25, 10));
  BOOST_TEST(machine.place(*earliest_finish({.order = Order::given}), tasks) == (Workers{2, 2, 0, 1, 2}), kPerElement);
}

/// Two tasks. The second one has the larger speed-up, but the shorter chain of tasks after it.
struct TwoTasks {
  TwoTasks() {
    tasks = {machine.task(20, 10), machine.task(90, 10)};
    tasks[0].upward_rank_s = 2;
    tasks[1].upward_rank_s = 1;
  }
  HandMadeMachine machine{1, 1};
  std::vector<ReadyTask> tasks;
};

BOOST_FIXTURE_TEST_CASE(mct_takes_tasks_as_they_come, TwoTasks) {
  std::swap(tasks[0], tasks[1]);
  // The GPU runs the first task until 10 us. The second task would end at 20 us on the GPU and on the core. The core
  // gets the task because it has the lower number.
  BOOST_TEST(machine.place(*earliest_finish({.order = Order::given}), tasks) == (Workers{1, 0}), kPerElement);
  std::swap(tasks[0], tasks[1]);
  BOOST_TEST(machine.place(*earliest_finish({.order = Order::given}), tasks) == (Workers{1, 1}), kPerElement);
}

BOOST_FIXTURE_TEST_CASE(heft_takes_the_largest_speedup_first, TwoTasks) {
  BOOST_TEST(machine.place(*earliest_finish({.order = Order::speedup}), tasks) == (Workers{0, 1}), kPerElement);
}

BOOST_FIXTURE_TEST_CASE(heft_rank_takes_the_longest_chain_first, TwoTasks) {
  BOOST_TEST(machine.place(*earliest_finish({.order = Order::rank}), tasks) == (Workers{1, 1}), kPerElement);
  tasks[1].upward_rank_s = 3;
  BOOST_TEST(machine.place(*earliest_finish({.order = Order::rank}), tasks) == (Workers{0, 1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(only_heft_rank_asks_for_ranks) {
  BOOST_TEST((earliest_finish({.order = Order::rank})->policy_traits().ranks == Ranks::mean));
  BOOST_TEST((earliest_finish({.order = Order::given})->policy_traits().ranks == Ranks::none));
  BOOST_TEST((earliest_finish({.order = Order::speedup})->policy_traits().ranks == Ranks::none));
}

BOOST_AUTO_TEST_CASE(transfers_count) {
  HandMadeMachine machine(1, 1);
  machine.data_on(5, {0});
  BOOST_TEST(machine.place(*earliest_finish({}), {machine.task(30, 10, reads(5, 15'000))}) == (Workers{1}),
             kPerElement);
  BOOST_TEST(machine.place(*earliest_finish({}), {machine.task(30, 10, reads(5, 25'000))}) == (Workers{0}),
             kPerElement);
}

BOOST_AUTO_TEST_CASE(copies_that_other_work_would_hide_are_charged_all_the_same) {
  HandMadeMachine machine(1, 1);
  machine.load(1, 15).data_on(5, {0});
  // The GPU is free at 15 us, and the data could be there by then, so the task could end at 25 us. But the policy adds
  // the times: it counts 40 us for the GPU against 30 us for the core.
  BOOST_TEST(machine.place(*earliest_finish({}), {machine.task(30, 10, reads(5, 15'000))}) == (Workers{0}),
             kPerElement);
}

BOOST_AUTO_TEST_CASE(a_worker_s_load_grows_by_copies_only_where_nothing_hides_them) {
  HandMadeMachine machine(1, 1);
  machine.load(1, 10).data_on(5, {0});
  // On the GPU the first task ends at 20 us, as its copy overlaps the running task. The second task then ends at 30 us.
  BOOST_TEST(machine.place(*earliest_finish({}), {machine.task(35, 10, reads(5, 10'000)), machine.task(35, 10)}) ==
                 (Workers{1, 1}),
             kPerElement);
}

BOOST_AUTO_TEST_CASE(shared_links_make_copies_cost_twice_as_often_as_there_are_gpus) {
  HandMadeMachine machine(1, 1);
  machine.data_on(5, {0});
  const ReadyTask task = machine.task(30, 10, reads(5, 12'000));
  BOOST_TEST(machine.place(*earliest_finish({}), {task}) == (Workers{1}), kPerElement);
  BOOST_TEST(machine.place(*earliest_finish({.shared_links = true}), {task}) == (Workers{0}), kPerElement);
}

/// On a machine with one GPU, this policy counts the time of a copy twice if no other work runs during the copy.
BOOST_AUTO_TEST_CASE(dmda_charges_copies_that_other_work_hides_once_and_others_twice) {
  const auto place = [](int load, int on_core) {
    HandMadeMachine machine(1, 1);
    machine.load(1, load).data_on(5, {0});
    return machine.place(*earliest_finish({.dmda = true}), {machine.task(on_core, 10, reads(5, 6'000))});
  };
  // On a free GPU the policy counts 12 us for the copy, 10 us for the kernel, and the 12 us once more.
  BOOST_TEST(place(0, 34) == (Workers{0}), kPerElement);
  BOOST_TEST(place(0, 35) == (Workers{1}), kPerElement);
  // On a GPU that is busy until 20 us, the policy counts 20 us, 10 us for the kernel and 12 us for the copy.
  BOOST_TEST(place(20, 42) == (Workers{0}), kPerElement);
  BOOST_TEST(place(20, 43) == (Workers{1}), kPerElement);
}

BOOST_AUTO_TEST_CASE(with_communication_prediction_copies_wait_behind_others) {
  HandMadeMachine machine(1, 1);
  machine.data_on(5, {0});
  machine.predictions.traffic.out[0] = 20'000;
  const ReadyTask task = machine.task(30, 10, reads(5, 5'000));
  BOOST_TEST(machine.place(*earliest_finish({}), {task}) == (Workers{1}), kPerElement);
  BOOST_TEST(machine.place(*earliest_finish({.communication_prediction = true}), {task}) == (Workers{0}), kPerElement);
}

BOOST_AUTO_TEST_CASE(what_only_one_kind_can_run_goes_there_and_what_none_can_stays_nowhere) {
  HandMadeMachine machine(1, 1);
  const std::vector<ReadyTask> tasks{machine.task(kNever, 90), machine.task(90, kNever), machine.task(kNever, kNever)};
  for (const Order order : {Order::given, Order::speedup, Order::rank}) {
    BOOST_TEST(machine.place(*earliest_finish({.order = order}), tasks) == (Workers{1, 0, -1}), kPerElement);
  }
}

BOOST_AUTO_TEST_CASE(they_decide_in_rounds_if_they_are_told_to) {
  BOOST_TEST(!earliest_finish({})->policy_traits().in_rounds);
  BOOST_TEST(earliest_finish({.rounds = true})->policy_traits().in_rounds);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::scheduler
