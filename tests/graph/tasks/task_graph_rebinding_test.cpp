// Tests recordings that are run with other data, and rebindings that are refused.
#include "tests/graph/recording_fixture.hpp"

namespace troupe::graph {

namespace task_graph_rebinding {

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

}  // namespace task_graph_rebinding

BOOST_FIXTURE_TEST_SUITE(task_graph_rebinding, Fixture)

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
  // A rebinding only applies to one run, so this run uses the recorded data again.
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
                 "'x' cannot be exchanged for 'transposed': it was 4 x 3 of double and is 3 x 4 of double");
  expect_failure(try_run(graph, recording, {{x, single}}), ErrorCode::invalid_argument,
                 "'single': it was 4 x 3 of double and is 4 x 3 of float");
  expect_failure(try_run(graph, recording, {{x, gaps}}), ErrorCode::invalid_argument, "with gaps between the columns");
  // Data without gaps can replace data with gaps.
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
  // The recorded order would be wrong if a run replaced only a part, or replaced the whole but not its parts.
  expect_failure(try_run(graph, recording, {{parts[0], other_parts[0]}}), invalid, "uses data that contain it");
  expect_failure(try_run(graph, recording, {{whole, other}}), invalid, "uses parts of it");
  expect_failure(try_run(graph, recording, {{ha, hb}, {ha, hb}}), invalid, "exchanged twice");
  expect_failure(try_run(graph, recording, {{ha, Handle()}}), ErrorCode::invalid_handle, "empty handle");
  BOOST_TEST(graph.progress().submitted == 0U);
  // Parts can be exchanged if the recording does not use the whole.
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
  // The new handle `hf` uses the same data record as the released handle `hd`, but the graph must still refuse `hd`.
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
  // The future of a recorded task belongs to the recording, not to a task of a run.
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

/// A release inside a recording waits for earlier tasks, which this thread runs. If the kernel of such a task submits
/// another task, the other task must not become part of the recording.
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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
