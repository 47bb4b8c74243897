// Tests what a recording records and what a run does. Tasks run one at a time.
#include "tests/graph/recording_fixture.hpp"

namespace troupe::graph {

namespace task_graph_recording {

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
using Fixture = tests::RecordingFixture;
const auto kPerElement = boost::test_tools::per_element();

}  // namespace task_graph_recording

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
  // Each run counts as one more task, in addition to its own tasks.
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
    host.step();  // This step handles the run itself.
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
  noted(9, {write(hc)});  // This task uses no data of the other tasks.
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

/// The accesses do not fit into the task record, so they have memory of their own.
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
    // The run needed memory for many accesses. Ordinary tasks now use this memory again.
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
    BOOST_TEST(!host.step());  // The task is parked.
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
  // Two of the nine tasks are tasks that combine contributions.
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

/// One task of a reduction fails. The contributions of the other tasks must not appear in the next run.
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
