// Tests runs of recordings that fail, are cancelled, outlive their recording or are inspected.
#include "tests/graph/recording_fixture.hpp"

namespace troupe::graph {

namespace task_graph_recorded_run {

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

}  // namespace task_graph_recorded_run

BOOST_FIXTURE_TEST_SUITE(task_graph_recorded_run, Fixture)

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
  // The tasks that do not depend on the failed task have run.
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

BOOST_AUTO_TEST_CASE(a_cancelled_run_leaves_valid_what_none_of_its_tasks_would_have_written) {
  std::vector<double> values{10, 20};
  const Handle whole = register_matrix(graph, values, 2, 1, "whole");
  const auto parts = graph.partition(whole, std::vector<Block>{{0, 0, 1, 1}, {1, 0, 1, 1}}).value();
  const auto recording = record(graph, [&] {
    noted(1, {read(whole), read(ha)});
    noted(2, {write(parts[0]), read_write(hb)});
  });
  graph.cancel(run(graph, recording, {{hb, hc}}));
  host.run_all();
  BOOST_TEST(ran.empty());
  const auto valid = [&](const Handle& handle) {
    const auto held = graph.acquire(handle, AccessMode::read);
    if (held) graph.give_back(held.value());
    return held.ok();
  };
  BOOST_TEST(valid(parts[1]));
  BOOST_TEST(valid(ha));
  BOOST_TEST(valid(hb));
  BOOST_TEST(!valid(hc));
  BOOST_TEST(!valid(parts[0]));
  BOOST_TEST(!valid(whole));
  // This run is not cancelled, but each of its tasks is, because its input is invalid. The result is the same.
  run(graph, recording, {{hb, hc}});
  host.run_all();
  BOOST_TEST(ran.empty());
  BOOST_TEST(valid(parts[1]));
  BOOST_TEST(!valid(parts[0]));
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
  // The failed reduction must not change the next run.
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
  // A run of another recording makes the graph forget this recording.
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
  // The first node is the run itself. It waits for its last two tasks.
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

}  // namespace troupe::graph
