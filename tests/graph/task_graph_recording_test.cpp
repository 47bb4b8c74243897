// Recordings: single-stepped.
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph/data_record.hpp"
#include "graph/task_graph.hpp"
#include "tests/support/graph_data.hpp"
#include "tests/support/recording_data.hpp"
#include "tests/support/step_host.hpp"

namespace troupe::graph {
namespace {

using tests::contains;
using tests::record;
using tests::register_matrix;
using tests::register_scalar;
using tests::run;
using tests::SharedRecording;
using tests::StepHost;
using tests::submit;
using tests::try_run;
using tests::try_submit;
const auto kPerElement = boost::test_tools::per_element();

struct Fixture {
  StepHost host{GraphOptions{.workers = 3}};
  TaskGraph& graph = host.graph;
  double a = 1;
  double b = 2;
  double c = 3;
  Handle ha = register_scalar(graph, a, "a");
  Handle hb = register_scalar(graph, b, "b");
  Handle hc = register_scalar(graph, c, "c");
  /// The numbers of the tasks that have run.
  std::vector<int> ran;
  bool broken = false;

  Codelet note = with_kernel(Codelet::variadic("note"));
  Codelet set = Codelet("set", {AccessMode::write}).cpu([](double& x, double to) { x = to; });
  Codelet twice = Codelet("twice", {AccessMode::read_write}).cpu([](double& x) { x *= 2; });
  Codelet copy = Codelet("copy", {AccessMode::read, AccessMode::write}).cpu([](const double& x, double& y) { y = x; });
  Codelet add =
      Codelet("add", {AccessMode::read, AccessMode::reduce}).cpu([](const double& x, double& sum) { sum += x; });
  Codelet may_fail = Codelet("may_fail", {AccessMode::read_write}).cpu([](double& x, Fixture* fixture) {
    if (fixture->broken) throw std::runtime_error("disk full");
    x += 1;
  });

  static Codelet with_kernel(Codelet codelet) {
    return std::move(codelet).cpu(
        [](const KernelContext& context) { context.argument<Fixture*>(0)->ran.push_back(context.argument<int>(1)); });
  }
  Future noted(int number, std::initializer_list<Access> accesses, const TaskOptions& options = {}) {
    return submit(graph, note, accesses, args(this, number), options);
  }
  /// The tasks that one run executes, in order; `pick` chooses among those that are ready.
  std::vector<int> order_of_run(const SharedRecording& recording) {
    ran.clear();
    run(graph, recording);
    host.run_all();
    return ran;
  }
  void expect_failure(const Result<Future>& outcome, ErrorCode code, const std::string& part) {
    BOOST_TEST_REQUIRE(!outcome.ok());
    BOOST_TEST((outcome.failure().code == code), outcome.failure().message);
    BOOST_TEST(contains(outcome.failure().message, part), outcome.failure().message);
  }
};

BOOST_FIXTURE_TEST_SUITE(task_graph_recording, Fixture)

BOOST_AUTO_TEST_CASE(recording_runs_nothing_and_counts_nothing) {
  const auto recording = record(graph, [&] { submit(graph, twice, {ha}); });
  BOOST_TEST(host.ready.empty());
  BOOST_TEST(a == 1);
  BOOST_TEST(recording->size() == 1U);
  BOOST_TEST(graph.progress().submitted == 0U);
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(a_run_does_what_was_recorded_any_number_of_times) {
  const auto recording = record(graph, [&] {
    submit(graph, twice, {ha});
    submit(graph, copy, {ha, hb});
    submit(graph, twice, {hb});
  });
  for (int i = 0; i < 20; ++i) {
    const Future future = run(graph, recording);
    BOOST_TEST((future.status() == TaskStatus::pending));
    BOOST_TEST(graph.wait(future).ok());
    BOOST_TEST((future.status() == TaskStatus::succeeded));
  }
  BOOST_TEST(a == 1048576);
  BOOST_TEST(b == 2097152);
  // A task for each run besides its own.
  BOOST_TEST(graph.progress().submitted == 80U);
  BOOST_TEST(graph.progress().ended == 80U);
}

BOOST_AUTO_TEST_CASE(tasks_become_ready_when_their_predecessors_have_ended) {
  const auto recording = record(graph, [&] {
    noted(0, {write(ha)});
    noted(1, {write(hb)});
    noted(2, {read(ha), read(hb), write(hc)});
    noted(3, {read(hc)});
    noted(4, {read(hc)});
    noted(5, {read_write(hc)});
  });
  for (int i = 0; i < 3; ++i) {
    run(graph, recording);
    BOOST_TEST(host.ready.size() == 1U);
    host.step();  // the run itself
    BOOST_TEST(host.ready.size() == 2U);
    host.step();
    BOOST_TEST(host.ready.size() == 1U);
    host.step();
    BOOST_TEST(host.ready.size() == 1U);
    host.step();
    BOOST_TEST(host.ready.size() == 2U);
    host.step();
    host.step();
    BOOST_TEST(host.ready.size() == 1U);
    host.run_all();
    BOOST_TEST(ran == (std::vector<int>{0, 1, 2, 3, 4, 5}), kPerElement);
    ran.clear();
  }
}

BOOST_AUTO_TEST_CASE(a_run_comes_after_what_was_submitted_before_and_before_what_comes_later) {
  const auto recording = record(graph, [&] {
    noted(1, {read_write(ha)});
    noted(2, {read_write(hb)});
  });
  noted(0, {read_write(ha), read_write(hb)});
  run(graph, recording);
  noted(3, {read(hb)});
  noted(9, {write(hc)});  // has nothing to do with it
  run(graph, recording);
  noted(4, {read(ha)});
  host.run_all();
  BOOST_TEST(ran == (std::vector<int>{0, 9, 1, 2, 3, 1, 2, 4}), kPerElement);
}

BOOST_AUTO_TEST_CASE(data_that_a_recording_only_reads_can_be_read_meanwhile) {
  const auto recording = record(graph, [&] { noted(1, {read(ha), write(hb)}); });
  Task* const hold = graph.acquire(ha, AccessMode::read).value();
  run(graph, recording);
  host.run_all();
  BOOST_TEST(ran == std::vector<int>{1}, kPerElement);
  graph.give_back(hold);
}

BOOST_AUTO_TEST_CASE(runs_of_one_recording_never_overlap_whatever_their_data) {
  const auto recording = record(graph, [&] {
    noted(1, {read_write(ha)});
    noted(2, {read_write(ha)});
  });
  run(graph, recording);
  run(graph, recording, {{ha, hb}});
  run(graph, recording, {{ha, hc}});
  BOOST_TEST(host.ready.size() == 1U);
  host.run_all();
  BOOST_TEST(ran == (std::vector<int>{1, 2, 1, 2, 1, 2}), kPerElement);
}

BOOST_AUTO_TEST_CASE(an_empty_recording_is_run_like_any_other) {
  const auto recording = record(graph, [] {});
  BOOST_TEST(recording->size() == 0U);
  const Future future = run(graph, recording);
  const Future again = run(graph, recording);
  BOOST_TEST(graph.wait(again).ok());
  BOOST_TEST((future.status() == TaskStatus::succeeded));
  const Future after = submit(graph, twice, {ha}, {}, {.after = {future}});
  BOOST_TEST(graph.wait(after).ok());
  BOOST_TEST(graph.wait_all().ok());
  graph.cancel_all();
}

BOOST_AUTO_TEST_CASE(an_empty_recording_can_be_cancelled) {
  const auto recording = record(graph, [] {});
  const Future future = run(graph, recording);
  graph.cancel(future);
  BOOST_TEST((graph.wait(future).failure().code == ErrorCode::cancelled));
}

/// More than lie in the task itself, so that they have memory of their own.
BOOST_AUTO_TEST_CASE(tasks_with_many_accesses_and_many_predecessors) {
  std::vector<double> values(40);
  std::vector<Handle> handles;
  std::vector<Access> reads;
  for (double& value : values) {
    handles.push_back(register_scalar(graph, value));
    reads.push_back(read(handles.back()));
  }
  reads.push_back(write(hc));
  const Codelet sum = Codelet::variadic("sum").cpu([](const KernelContext& context) {
    double& result = *reinterpret_cast<double*>(context.data(context.size() - 1).data);
    result = 0;
    for (std::size_t i = 0; i + 1 < context.size(); ++i) {
      result += *reinterpret_cast<const double*>(context.data(i).data);
    }
  });
  for (int recordings = 0; recordings < 3; ++recordings) {
    const auto recording = record(graph, [&] {
      for (std::size_t i = 0; i < handles.size(); ++i) {
        submit(graph, set, {handles[i]}, args(static_cast<double>(i)), {.name = "set"});
      }
      graph.submit({sum, reads, {}, {.name = "sum"}}).value_or_throw();
      graph.submit({sum, reads, {}, {}}).value_or_throw();
    });
    for (int i = 0; i < 3; ++i) {
      c = 0;
      run(graph, recording);
      host.run_all();
      BOOST_TEST(c == 780);
    }
    // A run with as many data leaves its memory to ordinary tasks.
    for (int i = 0; i < 100; ++i) submit(graph, twice, {ha});
    host.run_all();
  }
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(implied_dependencies_are_left_out) {
  const auto recording = record(graph, [&] {
    noted(0, {write(ha), write(hb)});
    noted(1, {read(ha), read(hb), write(hc)});
    noted(2, {read(hc), write(ha), write(hb)});
  });
  const auto& tasks = recording->tasks();
  BOOST_TEST(tasks[0].followers().size() == 1U);
  BOOST_TEST(tasks[1].followers().size() == 1U);
  BOOST_TEST(tasks[2].predecessors == 1U);
  BOOST_TEST(order_of_run(recording) == (std::vector<int>{0, 1, 2}), kPerElement);
}

BOOST_AUTO_TEST_CASE(explicit_dependencies_order_tasks_of_one_recording) {
  const auto recording = record(graph, [&] {
    const Future first = noted(0, {write(ha)});
    noted(1, {write(hb)}, {.priority = 9});
    const Future second = noted(2, {write(hc)}, {.after = {first, first}});
    noted(3, {}, {.after = {second}});
  });
  BOOST_TEST(order_of_run(recording) == (std::vector<int>{0, 1, 2, 3}), kPerElement);
  run(graph, recording);
  host.step();
  BOOST_TEST(host.ready.size() == 2U);
  host.run_all();
}

BOOST_AUTO_TEST_CASE(a_task_after_one_that_failed_is_cancelled_in_that_run_only) {
  const auto recording = record(graph, [&] {
    const Future first = submit(graph, may_fail, {ha}, args(static_cast<Fixture*>(this)));
    noted(1, {}, {.after = {first}});
  });
  broken = true;
  BOOST_TEST(order_of_run(recording).empty());
  broken = false;
  a = 1;
  submit(graph, set, {ha}, args(1.0));
  BOOST_TEST(order_of_run(recording) == std::vector<int>{1}, kPerElement);
  BOOST_TEST(order_of_run(recording) == std::vector<int>{1}, kPerElement);
}

BOOST_AUTO_TEST_CASE(callbacks_names_and_priorities_are_part_of_a_recording) {
  std::vector<std::uint64_t> ids;
  const auto recording = record(graph, [&] {
    noted(1, {write(ha)}, {.priority = 7, .name = "first", .callback = [&](const TaskOutcome& outcome) {
                             BOOST_TEST((outcome.status == TaskStatus::succeeded));
                             ids.push_back(outcome.task.value());
                             ran.push_back(100);
                           }});
    noted(2, {read(ha)}, {.priority = -3});
  });
  for (int i = 0; i < 3; ++i) {
    const Future future = run(graph, recording);
    host.step();
    BOOST_TEST(host.ready.front()->priority == 7);
    BOOST_TEST(describe(*host.ready.front()) ==
               "task " + std::to_string(future.id().value() + 1) + " 'first' (codelet note)");
    host.step();
    BOOST_TEST(host.ready.front()->priority == -3);
    host.run_all();
    BOOST_TEST(ids.back() == future.id().value() + 1);
  }
  BOOST_TEST(ran == (std::vector<int>{1, 100, 2, 1, 100, 2, 1, 100, 2}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_callback_may_run_the_recording_again) {
  SharedRecording recording;
  int runs = 0;
  recording = record(graph, [&] {
    submit(graph, twice, {ha}, {}, {.callback = [&](const TaskOutcome&) {
             if (++runs < 5) run(graph, recording);
           }});
  });
  run(graph, recording);
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(a == 32);
  recording.reset();
}

BOOST_AUTO_TEST_CASE(commuting_tasks_take_turns_in_a_run) {
  const auto recording = record(graph, [&] {
    noted(0, {write(ha)});
    noted(1, {commute(ha)});
    noted(2, {commute(ha)});
    noted(3, {commute(ha), commute(hb)});
    noted(4, {read(ha)});
  });
  for (int i = 0; i < 3; ++i) {
    run(graph, recording);
    host.step();
    host.step();
    BOOST_TEST(host.ready.size() == 3U);
    TaskList ready;
    Task& first = *host.ready.pop_front();
    BOOST_TEST((graph.begin(first, WorkerId(0), ready) == Begin::run));
    BOOST_TEST(!host.step());  // parked
    BOOST_TEST(!host.step());
    BOOST_TEST(host.ready.empty());
    graph.complete(first, nullptr, WorkerId(0), ready);
    BOOST_TEST(ready.size() == 1U);
    host.ready.append(ready);
    host.run_all();
    BOOST_TEST(ran.back() == 4);
    BOOST_TEST(ran.size() == 4U);
    ran.clear();
  }
}

BOOST_AUTO_TEST_CASE(reductions_are_combined_in_every_run) {
  graph.set_reduction(hc, sum_reduction<double>()).value_or_throw();
  const auto recording = record(graph, [&] {
    submit(graph, set, {hc}, args(100.0));
    for (int i = 0; i < 4; ++i) submit(graph, add, {ha, hc});
    submit(graph, copy, {hc, hb});
    submit(graph, add, {ha, hc});
  });
  // Two of the tasks combine.
  BOOST_TEST(recording->size() == 9U);
  for (int i = 0; i < 3; ++i) {
    a = i + 1;
    run(graph, recording);
    for (std::uint32_t worker = 0; !host.ready.empty(); ++worker) host.step(WorkerId(worker % 3));
    BOOST_TEST(b == 100 + 4 * a);
    BOOST_TEST(c == 100 + 5 * a);
  }
}

BOOST_AUTO_TEST_CASE(a_reduction_that_is_open_before_a_run_is_combined_before_it) {
  graph.set_reduction(hc, sum_reduction<double>()).value_or_throw();
  const auto recording = record(graph, [&] { submit(graph, add, {ha, hc}); });
  submit(graph, add, {ha, hc});
  run(graph, recording);
  submit(graph, add, {ha, hc});
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(c == 6);
}

/// What its other members have added is of no use, and must not show up in the next run.
BOOST_AUTO_TEST_CASE(a_reduction_that_failed_leaves_nothing_to_the_next_run) {
  graph.set_reduction(hc, sum_reduction<double>()).value_or_throw();
  const Codelet may_add = Codelet("may_add", {AccessMode::reduce}).cpu([](double& sum, Fixture* fixture) {
    if (fixture->broken) throw std::runtime_error("disk full");
    sum += 10;
  });
  const auto recording = record(graph, [&] {
    submit(graph, set, {hc}, args(0.0));
    submit(graph, add, {ha, hc});
    submit(graph, may_add, {hc}, args(static_cast<Fixture*>(this)));
  });
  const auto run_on_all_workers = [&] {
    const Future future = run(graph, recording);
    for (std::uint32_t worker = 0; !host.ready.empty(); ++worker) host.step(WorkerId(worker % 3));
    return graph.wait(future);
  };
  broken = true;
  BOOST_TEST((run_on_all_workers().failure().code == ErrorCode::kernel_failed));
  broken = false;
  BOOST_TEST(run_on_all_workers().ok());
  BOOST_TEST(c == 11);
  BOOST_TEST(graph.acquire(hc, AccessMode::read).ok());
}

BOOST_AUTO_TEST_CASE(a_whole_and_its_parts_are_ordered_in_a_run_and_around_it) {
  std::vector<double> values(4);
  const Handle whole = register_matrix(graph, values, 4, 1, "w");
  const auto parts = graph.partition(whole, std::vector<Block>{{0, 0, 2, 1}, {2, 0, 2, 1}}).value();
  const auto recording = record(graph, [&] {
    noted(1, {write(whole)});
    noted(2, {read_write(parts[0])});
    noted(3, {read_write(parts[1])});
    noted(4, {read(whole)});
  });
  const auto on_part = record(graph, [&] { noted(7, {read_write(parts[1])}); });
  noted(0, {write(parts[1])});
  run(graph, recording);
  noted(5, {read_write(parts[0])});
  run(graph, on_part);
  noted(8, {read(whole)});
  host.run_all();
  BOOST_TEST(ran == (std::vector<int>{0, 1, 2, 3, 4, 5, 7, 8}), kPerElement);
}

BOOST_AUTO_TEST_CASE(handles_that_are_divided_later_are_used_as_a_whole) {
  std::vector<double> values(4);
  const Handle whole = register_matrix(graph, values, 4, 1, "w");
  const auto recording = record(graph, [&] { noted(2, {read_write(whole)}); });
  const auto parts = graph.partition(whole, std::vector<Block>{{0, 0, 2, 1}, {2, 0, 2, 1}}).value();
  noted(1, {write(parts[1])});
  run(graph, recording);
  noted(3, {read(parts[0])});
  host.run_all();
  BOOST_TEST(ran == (std::vector<int>{1, 2, 3}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_run_uses_other_data_where_it_is_told_to) {
  const auto recording = record(graph, [&] { submit(graph, copy, {ha, hb}); });
  double d = 7;
  double e = 8;
  const Handle hd = register_scalar(graph, d);
  const Handle he = register_scalar(graph, e);
  run(graph, recording, {{ha, hd}});
  host.run_all();
  BOOST_TEST(b == 7);
  run(graph, recording, {{hb, he}});
  host.run_all();
  BOOST_TEST(e == 1);
  run(graph, recording, {{hb, hc}, {ha, hd}});
  host.run_all();
  BOOST_TEST(c == 7);
  BOOST_TEST(b == 7);
  // For that run only.
  run(graph, recording);
  host.run_all();
  BOOST_TEST(b == 1);
}

BOOST_AUTO_TEST_CASE(a_run_is_ordered_by_the_data_that_it_uses) {
  const auto recording = record(graph, [&] { noted(1, {read_write(ha)}); });
  Task* const hold = graph.acquire(ha, AccessMode::write).value();
  noted(0, {write(hb)});
  run(graph, recording, {{ha, hb}});
  noted(2, {read(hb)});
  host.run_all();
  BOOST_TEST(ran == (std::vector<int>{0, 1, 2}), kPerElement);
  graph.give_back(hold);
}

BOOST_AUTO_TEST_CASE(two_data_may_change_places) {
  const auto recording = record(graph, [&] {
    submit(graph, copy, {ha, hb});
    submit(graph, twice, {hb});
  });
  run(graph, recording, {{ha, hb}, {hb, ha}});
  host.run_all();
  BOOST_TEST(a == 4);
  BOOST_TEST(b == 2);
  run(graph, recording);
  host.run_all();
  BOOST_TEST(b == 8);
}

BOOST_AUTO_TEST_CASE(data_may_be_exchanged_for_themselves) {
  const auto recording = record(graph, [&] { submit(graph, copy, {ha, hb}); });
  run(graph, recording, {{ha, ha}, {hb, hb}});
  host.run_all();
  BOOST_TEST(b == 1);
}

BOOST_AUTO_TEST_CASE(the_same_data_in_place_of_two_is_refused_unless_both_are_only_read) {
  const auto recording = record(graph, [&] { noted(1, {read(ha), read(hb), write(hc)}); });
  double d = 7;
  const Handle hd = register_scalar(graph, d, "d");
  run(graph, recording, {{ha, hd}, {hb, hd}});
  run(graph, recording, {{ha, hb}});
  expect_failure(try_run(graph, recording, {{ha, hd}, {hc, hd}}), ErrorCode::conflicting_access, "'d'");
  expect_failure(try_run(graph, recording, {{ha, hc}}), ErrorCode::conflicting_access, "'c'");
  expect_failure(try_run(graph, recording, {{hc, ha}}), ErrorCode::conflicting_access, "'recording'");
  host.run_all();
  BOOST_TEST(ran.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_part_of_other_data_of_the_recording_is_refused_unless_both_are_only_read) {
  std::vector<double> values(2);
  std::vector<double> others(1);
  const Handle whole = register_matrix(graph, values, 2, 1, "w");
  const Handle one = register_matrix(graph, others, 1, 1, "one");
  const Handle part = graph.partition(whole, std::vector<Block>{{0, 0, 1, 1}}).value()[0];
  const auto reads = record(graph, [&] { noted(1, {read(whole), read(one)}); });
  const auto writes = record(graph, [&] { noted(1, {read(whole), write(one)}); });
  run(graph, reads, {{one, part}});
  expect_failure(try_run(graph, writes, {{one, part}}), ErrorCode::conflicting_access, "part of");
  host.run_all();
}

BOOST_AUTO_TEST_CASE(data_that_look_different_are_refused) {
  std::vector<double> values(12);
  std::vector<double> others(30);
  std::vector<float> floats(12);
  const Handle x = register_matrix(graph, values, 4, 3, "x");
  const Handle transposed = register_matrix(graph, others, 3, 4, "transposed");
  const Handle single = register_matrix(graph, floats, 4, 3, "single");
  const Handle gaps =
      graph.register_data({layout_of<double>(4, 3, 6), reinterpret_cast<std::byte*>(others.data()), nullptr, "gaps"});
  const auto recording = record(graph, [&] { noted(1, {write(x)}); });
  expect_failure(try_run(graph, recording, {{x, transposed}}), ErrorCode::invalid_argument,
                 "'x' cannot be exchanged for 'transposed': sizes, element type");
  expect_failure(try_run(graph, recording, {{x, single}}), ErrorCode::invalid_argument, "'single'");
  expect_failure(try_run(graph, recording, {{x, gaps}}), ErrorCode::invalid_argument, "contiguity");
  // The other way round nothing can be wrong.
  const auto with_gaps = record(graph, [&] { noted(2, {write(gaps)}); });
  run(graph, with_gaps, {{gaps, x}});
  host.run_all();
  BOOST_TEST(ran == std::vector<int>{2}, kPerElement);
}

BOOST_AUTO_TEST_CASE(handles_that_cannot_be_exchanged_are_refused) {
  std::vector<double> values(4);
  std::vector<double> others(4);
  const Handle whole = register_matrix(graph, values, 4, 1, "w");
  const Handle other = register_matrix(graph, others, 4, 1, "o");
  const auto parts = graph.partition(whole, std::vector<Block>{{0, 0, 2, 1}, {2, 0, 2, 1}}).value();
  const auto other_parts = graph.partition(other, std::vector<Block>{{0, 0, 2, 1}, {2, 0, 2, 1}}).value();
  graph.set_reduction(hc, sum_reduction<double>()).value_or_throw();
  const auto recording = record(graph, [&] {
    noted(1, {write(whole)});
    noted(2, {read(parts[0])});
    submit(graph, add, {ha, hc});
  });
  const auto invalid = ErrorCode::invalid_argument;
  expect_failure(try_run(graph, recording, {{hb, ha}}), invalid, "no task of the recording uses it");
  expect_failure(try_run(graph, recording, {{Handle(), ha}}), invalid, "no task of the recording uses it");
  expect_failure(try_run(graph, recording, {{parts[1], other_parts[1]}}), invalid, "no task");
  expect_failure(try_run(graph, recording, {{hc, hb}}), invalid, "reduces");
  // With a part in its place, or a whole whose parts stay, no order would hold.
  expect_failure(try_run(graph, recording, {{parts[0], other_parts[0]}}), invalid, "uses data that contain it");
  expect_failure(try_run(graph, recording, {{whole, other}}), invalid, "uses parts of it");
  expect_failure(try_run(graph, recording, {{ha, hb}, {ha, hb}}), invalid, "exchanged twice");
  expect_failure(try_run(graph, recording, {{ha, Handle()}}), ErrorCode::invalid_handle, "empty handle");
  BOOST_TEST(graph.progress().submitted == 0U);
  // Parts alone can be.
  const auto only_parts = record(graph, [&] { noted(3, {write(parts[0]), read(parts[1])}); });
  run(graph, only_parts, {{parts[0], other_parts[1]}, {parts[1], other_parts[0]}});
  host.run_all();
  BOOST_TEST(ran == std::vector<int>{3}, kPerElement);
}

BOOST_AUTO_TEST_CASE(released_data_are_refused) {
  double d = 0;
  const Handle hd = register_scalar(graph, d);
  const auto recording = record(graph, [&] { submit(graph, copy, {ha, hd}); });
  const auto other = record(graph, [&] { submit(graph, copy, {ha, hb}); });
  graph.release(hd).value_or_throw();
  expect_failure(try_run(graph, recording), ErrorCode::invalid_handle, "released");
  expect_failure(try_run(graph, recording, {{hd, hb}}), ErrorCode::invalid_handle, "released");
  expect_failure(try_run(graph, other, {{hb, hd}}), ErrorCode::invalid_handle, "released");
  // Nor when another handle has got the same record.
  float f = 0;
  const Handle hf = register_scalar(graph, f);
  BOOST_TEST_REQUIRE(hf.record() == hd.record());
  expect_failure(try_run(graph, recording), ErrorCode::invalid_handle, "released");
  expect_failure(try_run(graph, recording, {{hd, hb}}), ErrorCode::invalid_handle, "released");
  run(graph, other);
  host.run_all();
  BOOST_TEST(b == 1);
}

BOOST_AUTO_TEST_CASE(data_of_another_graph_are_refused) {
  StepHost elsewhere;
  double d = 0;
  const Handle foreign = register_scalar(elsewhere.graph, d);
  const auto recording = record(graph, [&] { submit(graph, twice, {ha}); });
  expect_failure(try_run(graph, recording, {{ha, foreign}}), ErrorCode::invalid_handle, "another runtime");
}

BOOST_AUTO_TEST_CASE(what_a_recording_must_not_do_is_refused_and_the_rest_recorded) {
  const auto earlier = record(graph, [&] { noted(0, {write(ha)}); });
  const Future submitted = noted(1, {write(ha)});
  Future recorded;
  const auto recording = record(graph, [&] {
    recorded = noted(2, {write(ha)});
    const auto invalid = ErrorCode::invalid_argument;
    Recording inner("inner");
    const auto scope = graph.begin_recording(inner);
    BOOST_TEST_REQUIRE(!scope.ok());
    BOOST_TEST(contains(scope.failure().message, "inside of another"));
    expect_failure(try_run(graph, earlier), invalid, "inside of a recording");
    expect_failure(try_submit(graph, note, {write(ha)}, args(static_cast<Fixture*>(this), 9), {.after = {submitted}}),
                   invalid, "tasks of the same recording");
    expect_failure(try_submit(graph, note, {write(ha)}, args(static_cast<Fixture*>(this), 9), {.after = {Future()}}),
                   invalid, "empty");
    expect_failure(try_submit(graph, copy, {ha, ha}), ErrorCode::conflicting_access, "same data");
    for (const Result<void>& waited : {graph.wait_all(), graph.wait(submitted), graph.stop_submissions()}) {
      BOOST_TEST_REQUIRE(!waited.ok());
      BOOST_TEST((waited.failure().code == invalid));
      BOOST_TEST(contains(waited.failure().message, "inside of a recording"));
    }
    BOOST_TEST((graph.acquire(ha, AccessMode::read).failure().code == invalid));
    BOOST_TEST((graph.partition(ha, {}).failure().code == invalid));
    noted(3, {read(ha)});
  });
  BOOST_TEST(recording->size() == 2U);
  // The future of a recorded task stands for no task that runs.
  BOOST_TEST((recorded.status() == TaskStatus::pending));
  graph.cancel(recorded);
  BOOST_TEST(contains(graph.wait(recorded).failure().message, "RecordedGraph::run"));
  expect_failure(try_submit(graph, twice, {hb}, {}, {.after = {recorded}}), ErrorCode::invalid_argument,
                 "RecordedGraph::run");
  record(graph, [&] {
    expect_failure(try_submit(graph, twice, {hb}, {}, {.after = {recorded}}), ErrorCode::invalid_argument,
                   "tasks of the same recording");
  });
  host.run_all();
  BOOST_TEST(order_of_run(recording) == (std::vector<int>{2, 3}), kPerElement);
}

BOOST_AUTO_TEST_CASE(a_kernel_cannot_record_but_may_run_what_was_recorded) {
  const auto recording = record(graph, [&] { submit(graph, twice, {ha}); });
  struct Needs {
    Fixture* fixture;
    const SharedRecording* recording;
  } needs{this, &recording};
  const Codelet runs = Codelet("runs", {}).cpu([](const KernelContext& context) {
    const Needs& needs = *context.argument<Needs*>(0);
    Recording inner("inner");
    BOOST_TEST((needs.fixture->graph.begin_recording(inner).failure().code == ErrorCode::wait_in_kernel));
    run(needs.fixture->graph, *needs.recording);
  });
  submit(graph, runs, {}, args(&needs));
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(a == 2);
}

/// A registration that ends inside of a recording waits for tasks of before, which run in this thread: what their
/// kernels submit is no part of the recording.
BOOST_AUTO_TEST_CASE(a_release_inside_of_a_recording_releases_and_runs_kernels_as_kernels) {
  double d = 1;
  const Handle hd = register_scalar(graph, d);
  const Codelet submits = Codelet("submits", {AccessMode::read_write}).cpu([](double& x, Fixture* fixture) {
    x = 5;
    submit(fixture->graph, fixture->twice, {fixture->ha});
  });
  submit(graph, submits, {hd}, args(static_cast<Fixture*>(this)));
  const auto recording = record(graph, [&] {
    submit(graph, twice, {hb});
    BOOST_TEST(graph.release(hd).ok());
  });
  BOOST_TEST(d == 5);
  BOOST_TEST(recording->size() == 1U);
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(a == 2);
}

BOOST_AUTO_TEST_CASE(a_graph_that_stops_takes_no_runs_but_ends_those_that_it_has) {
  const auto recording = record(graph, [&] { submit(graph, twice, {ha}); });
  const Future future = run(graph, recording);
  BOOST_TEST(graph.stop_submissions().ok());
  expect_failure(try_run(graph, recording), ErrorCode::stopped, "'recording'");
  BOOST_TEST(graph.wait(future).ok());
  BOOST_TEST(a == 2);
}

BOOST_AUTO_TEST_CASE(a_run_fails_with_its_task_and_later_runs_work_again) {
  const auto recording = record(
      graph,
      [&] {
        submit(graph, set, {ha}, args(1.0));
        submit(graph, may_fail, {ha}, args(static_cast<Fixture*>(this)), {.name = "step 7"});
        submit(graph, copy, {ha, hb});
        submit(graph, twice, {hc});
      },
      "solver");
  broken = true;
  const Future failed = run(graph, recording);
  const Future after_failed = noted(1, {}, {.after = {failed}});
  host.run_all();
  BOOST_TEST((failed.status() == TaskStatus::failed));
  BOOST_TEST((after_failed.status() == TaskStatus::cancelled));
  const Failure why = graph.wait(failed).failure();
  BOOST_TEST((why.code == ErrorCode::kernel_failed));
  for (const char* part : {"recorded graph 'solver'", "'step 7'", "disk full"}) {
    BOOST_TEST(contains(why.message, part), why.message);
  }
  // What did not depend on it was done.
  BOOST_TEST(c == 6);
  BOOST_TEST((graph.acquire(hb, AccessMode::read).failure().code == ErrorCode::cancelled));
  BOOST_TEST(!graph.wait_all().ok());
  broken = false;
  const Future succeeded = run(graph, recording);
  BOOST_TEST(graph.wait(succeeded).ok());
  BOOST_TEST(b == 2);
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST((failed.status() == TaskStatus::failed));
}

BOOST_AUTO_TEST_CASE(a_run_on_data_without_content_is_cancelled_as_far_as_it_needs_them) {
  const auto recording = record(graph, [&] {
    submit(graph, copy, {ha, hb}, {}, {.name = "needs a"});
    submit(graph, twice, {hc});
  });
  broken = true;
  submit(graph, may_fail, {ha}, args(static_cast<Fixture*>(this)));
  const Future future = run(graph, recording);
  host.run_all();
  BOOST_TEST((future.status() == TaskStatus::cancelled));
  const Failure why = graph.wait(future).failure();
  BOOST_TEST((why.code == ErrorCode::cancelled));
  BOOST_TEST(contains(why.message, "'needs a'"));
  BOOST_TEST(contains(why.message, "disk full"));
  BOOST_TEST(c == 6);
}

BOOST_AUTO_TEST_CASE(a_failure_says_more_about_a_run_than_what_was_cancelled_before) {
  const auto recording = record(graph, [&] {
    submit(graph, twice, {ha});
    submit(graph, may_fail, {hb}, args(static_cast<Fixture*>(this)));
  });
  broken = true;
  submit(graph, may_fail, {ha}, args(static_cast<Fixture*>(this)));
  const Future future = run(graph, recording);
  host.run_all();
  BOOST_TEST((future.status() == TaskStatus::failed));
  BOOST_TEST((graph.wait(future).failure().code == ErrorCode::kernel_failed));
}

BOOST_AUTO_TEST_CASE(a_run_that_has_not_started_can_be_cancelled) {
  const auto recording = record(graph, [&] {
    noted(1, {write(ha)});
    noted(2, {write(hb)});
  });
  const Future cancelled = run(graph, recording);
  const Future other = run(graph, recording);
  graph.cancel(cancelled);
  host.run_all();
  BOOST_TEST((cancelled.status() == TaskStatus::cancelled));
  BOOST_TEST((other.status() == TaskStatus::succeeded));
  BOOST_TEST(ran == (std::vector<int>{1, 2}), kPerElement);
  BOOST_TEST(graph.progress().ended == graph.progress().submitted);
  graph.cancel(run(graph, recording));
  host.run_all();
  BOOST_TEST((graph.acquire(ha, AccessMode::read).failure().code == ErrorCode::cancelled));
  ran.clear();
  BOOST_TEST(order_of_run(recording).size() == 2U);
  BOOST_TEST(graph.acquire(ha, AccessMode::read).ok());
}

BOOST_AUTO_TEST_CASE(what_has_not_started_of_a_run_can_be_cancelled) {
  graph.set_reduction(hc, sum_reduction<double>()).value_or_throw();
  const auto recording = record(graph, [&] {
    submit(graph, set, {hc}, args(0.0));
    submit(graph, add, {ha, hc});
    submit(graph, add, {ha, hc});
  });
  const Future future = run(graph, recording);
  host.step();
  host.step();
  host.step();
  graph.cancel_all();
  host.run_all();
  BOOST_TEST((future.status() == TaskStatus::cancelled));
  BOOST_TEST(contains(graph.wait(future).failure().message, "the program cancelled all tasks"));
  BOOST_TEST(graph.progress().ended == graph.progress().submitted);
  // The next run does not see half of a reduction.
  run(graph, recording);
  host.run_all();
  BOOST_TEST(c == 2);
}

BOOST_AUTO_TEST_CASE(a_recording_lives_as_long_as_its_runs) {
  auto recording = record(graph, [&] { submit(graph, twice, {ha}); });
  const std::weak_ptr<Recording> watch = recording;
  const Future future = run(graph, recording);
  run(graph, recording);
  recording.reset();
  host.step();
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(a == 4);
  // Another one that is run makes the graph forget it.
  const auto other = record(graph, [&] { submit(graph, twice, {hb}); });
  run(graph, other);
  BOOST_TEST(watch.expired());
  BOOST_TEST(graph.wait(future).ok());
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(a_program_that_throws_leaves_no_recording_open) {
  const auto fails = [&] {
    record(graph, [&] {
      submit(graph, twice, {ha});
      throw std::runtime_error("the program's own");
    });
  };
  BOOST_CHECK_THROW(fails(), std::runtime_error);
  submit(graph, twice, {hb});
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(a == 1);
  BOOST_TEST(b == 4);
}

BOOST_AUTO_TEST_CASE(a_run_in_progress_can_be_looked_at) {
  const auto recording = record(
      graph,
      [&] {
        const Future first = noted(1, {write(ha)}, {.name = "first"});
        noted(2, {read(ha)}, {.after = {first}});
        noted(3, {write(hb)});
      },
      "solver");
  const Future future = run(graph, recording);
  const std::uint64_t id = future.id().value();
  struct Seen {
    std::vector<std::uint64_t> ids;
    std::vector<std::uint32_t> pending;
    std::size_t edges = 0;
    std::size_t explicit_edges = 0;
  };
  const auto look = [&] {
    Seen seen;
    graph.inspect([] { return std::vector<RunningTask>(); },
                  [&](const GraphSnapshot& snapshot) {
                    std::vector<std::pair<std::uint64_t, std::uint32_t>> nodes;
                    for (const TaskNode& node : snapshot.nodes) nodes.emplace_back(node.id.value(), node.pending);
                    std::sort(nodes.begin(), nodes.end());
                    for (const auto& [node, pending] : nodes) {
                      seen.ids.push_back(node);
                      seen.pending.push_back(pending);
                    }
                    for (const TaskEdge& edge : snapshot.edges) {
                      ++seen.edges;
                      seen.explicit_edges += edge.kind == TaskEdge::Kind::explicit_dependency ? 1 : 0;
                    }
                  });
    return seen;
  };
  BOOST_TEST(look().ids == std::vector<std::uint64_t>{id}, kPerElement);
  host.step();
  Seen seen = look();
  BOOST_TEST(seen.ids == (std::vector<std::uint64_t>{id, id + 1, id + 2, id + 3}), kPerElement);
  // The run waits for its last tasks.
  BOOST_TEST(seen.pending == (std::vector<std::uint32_t>{2, 0, 1, 0}), kPerElement);
  BOOST_TEST(seen.edges == 3U);
  BOOST_TEST(seen.explicit_edges == 1U);
  host.step();
  seen = look();
  BOOST_TEST(seen.ids == (std::vector<std::uint64_t>{id, id + 2, id + 3}), kPerElement);
  BOOST_TEST(seen.pending == (std::vector<std::uint32_t>{2, 0, 0}), kPerElement);
  host.run_all();
  BOOST_TEST(look().ids.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::graph
