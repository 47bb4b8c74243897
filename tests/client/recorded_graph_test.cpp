// Tests of recorded graphs through the public interface, on whole runtimes.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "proto/json/json.hpp"
#include "tests/client/fixture.hpp"
#include "tests/support/thread_checks.hpp"

namespace troupe::tests {
namespace {

struct Codelets {
  Codelet set = Codelet("set", {AccessMode::write}).cpu([](double& x, double to) { x = to; });
  Codelet twice = Codelet("twice", {AccessMode::read_write}).cpu([](double& x) { x *= 2; });
  Codelet copy = Codelet("copy", {AccessMode::read, AccessMode::write}).cpu([](const double& a, double& b) { b = a; });
  Codelet add = Codelet("add", {AccessMode::read, AccessMode::commute}).cpu([](const double& a, double& b) { b += a; });
  Codelet fails = Codelet("fails", {AccessMode::read_write}).cpu([](double& x, bool* broken) {
    if (*broken) throw std::runtime_error("disk full");
    x += 1;
  });
};

struct Fixture : Codelets {
  Runtime runtime{with_workers(2)};
  double x = 1;
  double y = 1;
  Data dx = runtime.scalar(x, "x");
  Data dy = runtime.scalar(y, "y");
};

BOOST_FIXTURE_TEST_SUITE(recorded_graph, Fixture)

BOOST_AUTO_TEST_CASE(runs_do_what_the_program_did) {
  const RecordedGraph step = runtime.record([&] {
    runtime.submit(twice, {dx});
    runtime.submit(copy, {dx, dy});
    runtime.submit(twice, {dy});
  });
  BOOST_TEST(step.tasks() == 3U);
  BOOST_TEST(x == 1);
  BOOST_TEST(runtime.progress().submitted == 0U);
  for (int i = 0; i < 10; ++i) step.run();
  runtime.wait();
  BOOST_TEST(x == 1024);
  BOOST_TEST(y == 2048);
  BOOST_TEST(runtime.progress().submitted == 40U);
  BOOST_TEST(runtime.progress().ended == 40U);
  // A copy of a recorded graph runs the same tasks.
  const RecordedGraph copied = step;
  copied.run().wait();
  BOOST_TEST(x == 2048);
  std::uint64_t tasks = 0;
  for (const WorkerReport& worker : runtime.report().workers) tasks += worker.counts.tasks;
  BOOST_TEST(tasks == 33U);
}

BOOST_AUTO_TEST_CASE(runs_take_their_place_among_submissions) {
  const RecordedGraph step = runtime.record([&] { runtime.submit(twice, {dx}); });
  for (int i = 0; i < 100; ++i) {
    runtime.submit(set, {dx}, args(1.0));
    step.run();
    runtime.submit(add, {dx, dy});
  }
  runtime.wait(dy);
  BOOST_TEST(y == 201);
}

BOOST_AUTO_TEST_CASE(an_iteration_between_two_buffers) {
  std::vector<double> now(1000, 1.0);
  std::vector<double> next(1000);
  const Data a = runtime.vector(now, "now");
  const Data b = runtime.vector(next, "next");
  const Codelet smooth = Codelet("smooth", {AccessMode::read, AccessMode::write})
                             .cpu([](VectorView<const double> from, VectorView<double> to) {
                               for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + 1;
                             });
  const RecordedGraph step = runtime.record([&] { runtime.submit(smooth, {a, b}); }, "step");
  for (int i = 0; i < 50; ++i) {
    step.run();
    step.run({{a, b}, {b, a}});
  }
  runtime.wait();
  BOOST_TEST(now[999] == 101);
  BOOST_TEST(next[0] == 100);
}

BOOST_AUTO_TEST_CASE(parts_reductions_commuting_tasks_and_many_accesses) {
  TiledMatrix<double> tiles(runtime, 8, 8, 2);
  double total = 0;
  const Data sum = runtime.scalar(total);
  runtime.set_reduction(sum, sum_reduction<double>());
  const Codelet fill = Codelet("fill", {AccessMode::write}).cpu([](MatrixView<double> tile, double value) {
    for (std::int64_t j = 0; j < tile.cols; ++j) {
      for (std::int64_t i = 0; i < tile.rows; ++i) tile(i, j) = value;
    }
  });
  const Codelet reduce =
      Codelet("reduce", {AccessMode::read, AccessMode::reduce}).cpu([](MatrixView<const double> tile, double& sum) {
        sum += tile(1, 1);
      });
  const Codelet all = Codelet::variadic("all").cpu([](const KernelContext& context) {
    double& result = *reinterpret_cast<double*>(context.data(0).data);
    result = static_cast<double>(context.size());
  });
  const RecordedGraph graph = runtime.record([&] {
    runtime.submit(set, {sum}, args(0.0));
    std::vector<Access> accesses{write(dy)};
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        runtime.submit(fill, {tiles(i, j)}, args(static_cast<double>(i + j)));
        runtime.submit(reduce, {tiles(i, j), sum});
        runtime.submit(add, {sum, dx});
        accesses.push_back(read(tiles(i, j)));
      }
    }
    runtime.submit(all, accesses);
  });
  for (int i = 0; i < 20; ++i) {
    x = 0;
    y = 0;
    graph.run().wait();
    BOOST_TEST(total == 48);
    BOOST_TEST(y == 17);
  }
}

BOOST_AUTO_TEST_CASE(misuse_is_refused_and_leaves_everything_usable) {
  double z = 0;
  std::vector<double> pair(2);
  Data dz = runtime.scalar(z, "z");
  const Data two = runtime.vector(pair, "two");
  const Future outside = runtime.submit(set, {dx}, args(1.0));
  Future inside;
  const auto invalid = [](const auto&... parts) { return failure(ErrorCode::invalid_argument, parts...); };
  const RecordedGraph graph = runtime.record(
      [&] {
        inside = runtime.submit(copy, {dx, dz});
        BOOST_CHECK_EXCEPTION(std::ignore = runtime.record([] {}), Error, invalid("inside of another"));
        BOOST_CHECK_EXCEPTION(runtime.wait(), Error, invalid("inside of a recording"));
        BOOST_CHECK_EXCEPTION(runtime.wait(dx), Error, invalid("inside of a recording"));
        BOOST_CHECK_EXCEPTION(outside.wait(), Error, invalid("inside of a recording"));
        BOOST_CHECK_EXCEPTION(runtime.stop(), Error, invalid("inside of a recording"));
        BOOST_CHECK_EXCEPTION(runtime.submit(twice, {dx}, {}, {.after = {outside}}), Error,
                              invalid("tasks of the same recording"));
        runtime.submit(twice, {dz}, {}, {.after = {inside}});
      },
      "graph");
  BOOST_TEST(graph.tasks() == 2U);
  BOOST_CHECK_EXCEPTION(inside.wait(), Error, invalid("RecordedGraph::run"));
  BOOST_CHECK_EXCEPTION(runtime.submit(twice, {dx}, {}, {.after = {inside}}), Error, invalid("RecordedGraph::run"));
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.record([&] { graph.run(); }), Error, invalid("inside of a recording"));
  BOOST_CHECK_EXCEPTION(graph.run({{dy, dx}}), Error, invalid("no task of the recording uses it"));
  BOOST_CHECK_EXCEPTION(graph.run({{dx, two}}), Error, invalid("'x'", "'two'", "it was 1 x 1 of double and is 2 x 1"));
  BOOST_CHECK_EXCEPTION(graph.run({{dx, dz}}), Error, failure(ErrorCode::conflicting_access, "'z'", "'graph'"));
  BOOST_CHECK_EXCEPTION(graph.run({{dx, dy}, {dx, dy}}), Error, invalid("exchanged twice"));
  graph.run();
  runtime.wait();
  BOOST_TEST(z == 2);
  dz.release();
  BOOST_CHECK_EXCEPTION(graph.run(), Error, failure(ErrorCode::invalid_handle, "released"));
  BOOST_CHECK_EXCEPTION(graph.run({{dz, dy}}), Error, failure(ErrorCode::invalid_handle, "released"));
  runtime.stop();
  BOOST_CHECK_EXCEPTION(graph.run(), Error, failure(ErrorCode::stopped, "'graph'"));
}

BOOST_AUTO_TEST_CASE(nobody_partitions_data_of_a_graph_that_is_being_recorded) {
  std::vector<double> numbers(8);
  std::vector<double> others(8);
  const Data whole = runtime.vector(numbers, "numbers");
  const Data unused = runtime.vector(others, "others");
  const Codelet fill = Codelet("fill", {AccessMode::write}).cpu([](VectorView<double> all) { all[0] = 3; });
  const auto halve = [&](const Data& data) {
    return runtime.partition(data, std::array{Block{0, 0, 4, 1}, Block{4, 0, 4, 1}});
  };
  const RecordedGraph graph = runtime.record([&] {
    runtime.submit(fill, {whole});
    std::thread([&] {
      BOOST_CHECK_EXCEPTION(std::ignore = halve(whole), Error,
                            failure(ErrorCode::invalid_argument, "'numbers'", "is recorded"));
      BOOST_TEST(halve(unused).size() == 2U);
    }).join();
  });
  graph.run();
  runtime.wait();
  BOOST_TEST(numbers[0] == 3);
  BOOST_TEST(halve(whole).size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_registration_of_the_recording_program_ends_with_it) {
  const RecordedGraph graph = runtime.record([&] {
    double inner = 0;
    const Data data = runtime.scalar(inner, "inner");
    runtime.submit(copy, {dx, data});
  });
  BOOST_CHECK_EXCEPTION(graph.run(), Error, failure(ErrorCode::invalid_handle, "released"));
}

BOOST_AUTO_TEST_CASE(a_kernel_cannot_record) {
  std::string message;
  const Codelet records = Codelet("records", {}).cpu([&](const KernelContext&) {
    message = message_of([&] { std::ignore = runtime.record([] {}); });
  });
  runtime.submit(records, {});
  runtime.wait();
  BOOST_TEST(contains(message, "began a recording of its own runtime"), message);
}

BOOST_AUTO_TEST_CASE(what_the_program_throws_comes_out_of_record) {
  const auto record_and_throw = [&] {
    std::ignore = runtime.record([&] {
      runtime.submit(twice, {dx});
      throw std::out_of_range("the program's own");
    });
  };
  BOOST_CHECK_THROW(record_and_throw(), std::out_of_range);
  runtime.submit(twice, {dy});
  runtime.wait();
  BOOST_TEST(x == 1);
  BOOST_TEST(y == 2);
}

BOOST_AUTO_TEST_CASE(a_run_fails_with_its_task_and_the_next_one_works) {
  bool broken = true;
  const RecordedGraph graph = runtime.record(
      [&] {
        runtime.submit(set, {dx}, args(1.0));
        runtime.submit(fails, {dx}, args(&broken), {.name = "step 7"});
        runtime.submit(copy, {dx, dy});
      },
      "solver");
  const Future failed = graph.run();
  const auto all = failure(ErrorCode::kernel_failed, "recorded graph 'solver'", "'step 7'", "fails", "disk full");
  BOOST_CHECK_EXCEPTION(failed.wait(), Error, all);
  BOOST_TEST((failed.status() == TaskStatus::failed));
  BOOST_CHECK_EXCEPTION(runtime.wait(dy), Error, failure(ErrorCode::cancelled, "'y' has no valid content"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  broken = false;
  for (int i = 0; i < 5; ++i) graph.run().wait();
  runtime.wait();
  BOOST_TEST(y == 2);
}

BOOST_AUTO_TEST_CASE(a_run_can_be_cancelled_before_it_starts_and_its_tasks_later) {
  const RecordedGraph graph = runtime.record([&] {
    for (int i = 0; i < 5; ++i) runtime.submit(twice, {dx});
  });
  {
    const HostAccess closed = runtime.acquire(dx, AccessMode::read_write);
    const Future waiting = graph.run();
    waiting.cancel();
    const Future other = graph.run();
    runtime.cancel();
    BOOST_TEST((other.status() == TaskStatus::pending));
  }
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::cancelled));
  BOOST_TEST(x == 1);
  runtime.submit(set, {dx}, args(1.0));
  graph.run().wait();
  BOOST_TEST(x == 32);
}

BOOST_AUTO_TEST_CASE(why_knows_the_run_and_its_tasks) {
  std::atomic<bool> open{false};
  std::atomic<int> arrived{0};
  const Codelet blocked = Codelet("blocked", {AccessMode::read_write}).cpu([&](double&) {
    ++arrived;
    while (!open) std::this_thread::sleep_for(std::chrono::microseconds(200));
  });
  const RecordedGraph graph = runtime.record(
      [&] {
        runtime.submit(blocked, {dx}, {}, {.name = "potrf(0)"});
        runtime.submit(copy, {dx, dy}, {}, {.name = "copy(0)"});
      },
      "solver");
  const Future run = graph.run();
  const Future next = graph.run();
  while (arrived < 1) std::this_thread::yield();
  const WhyReport report = runtime.why();
  const std::string text = report.to_text();
  const std::uint64_t id = run.id().value();
  BOOST_TEST(contains(text, "'potrf(0)' (codelet blocked), which has been running on worker"), text);
  BOOST_TEST(contains(text, "task " + std::to_string(id + 2) + " 'copy(0)' (codelet copy)"), text);
  BOOST_TEST(contains(text, "run " + std::to_string(id) + " of the recorded graph 'solver'"), text);
  BOOST_TEST(contains(text, "run " + std::to_string(next.id().value()) + " of the recorded graph 'solver'"), text);
  BOOST_TEST(report.counts.running == 1U);
  BOOST_TEST_REQUIRE(report.causes.size() == 1U);
  BOOST_TEST(report.causes[0].task.id.value() == id + 1);
  // Three tasks wait for this task: the other task of its run, the end of the run, and the next run.
  BOOST_TEST(report.causes[0].waiting == 3U);
  BOOST_TEST(Json::parse(report.to_json())["causes"][0]["task"]["name"] == "potrf(0)");
  open = true;
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(threads_run_recordings_of_one_runtime_at_the_same_time) {
  ThreadChecks checks;
  const RecordedGraph common = runtime.record([&] {
    for (int i = 0; i < 3; ++i) runtime.submit(add, {dx, dy});
  });
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      double mine = 0;
      double count = 1;
      const Data dm = runtime.scalar(mine);
      const Data dc = runtime.scalar(count);
      const RecordedGraph own = runtime.record([&] {
        runtime.submit(twice, {dc});
        runtime.submit(copy, {dc, dm});
      });
      for (int i = 0; i < 40; ++i) {
        common.run();
        if (i < 20) own.run();
        common.run({{dx, dm}});
      }
      runtime.wait(dm);
      checks.expect(mine == 1048576);
    });
  }
  for (std::thread& thread : threads) thread.join();
  runtime.wait();
  BOOST_TEST(y >= 361);
}

BOOST_AUTO_TEST_CASE(a_recording_may_go_while_its_run_is_in_flight) {
  std::optional<RecordedGraph> graph;
  for (int i = 0; i < 100; ++i) {
    graph = runtime.record([&] {
      for (int j = 0; j < 4; ++j) runtime.submit(add, {dx, dy});
    });
    graph->run();
    graph->run();
    graph.reset();
  }
  runtime.wait();
  BOOST_TEST(y == 801);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(recorded_graph_on_other_runtimes, Codelets)

BOOST_AUTO_TEST_CASE(every_policy_and_window_runs_recordings) {
  for (const char* policy : {"eager", "ws", "lws"}) {
    for (const std::size_t window : {1U, 3U, 65536U}) {
      RuntimeOptions options = with_workers(3);
      options.policy = policy;
      options.window = window;
      Runtime runtime(options);
      double x = 0;
      double y = 0;
      const Data dx = runtime.scalar(x);
      const Data dy = runtime.scalar(y);
      const RecordedGraph graph = runtime.record([&] {
        runtime.submit(set, {dx}, args(1.0), {.priority = -1});
        for (int i = 0; i < 10; ++i) runtime.submit(add, {dx, dy}, {}, {.priority = i % 3});
      });
      for (int i = 0; i < 20; ++i) {
        graph.run();
        runtime.submit(twice, {dx});
      }
      runtime.wait();
      BOOST_TEST(y == 200);
      BOOST_TEST(x == 2);
    }
  }
}

BOOST_AUTO_TEST_CASE(equal_seeds_give_equal_orders_in_deterministic_mode) {
  const auto order = [&](std::uint64_t seed) {
    RuntimeOptions options = deterministic(4);
    options.seed = seed;
    std::vector<int> ran;
    Runtime runtime(options);
    const Codelet note =
        Codelet("note", {AccessMode::commute}).cpu([&](double&, int number) { ran.push_back(number); });
    std::array<double, 8> values{};
    std::vector<Data> data;
    for (double& value : values) data.push_back(runtime.scalar(value));
    const RecordedGraph graph = runtime.record([&] {
      for (int i = 0; i < 40; ++i) runtime.submit(note, {data[static_cast<std::size_t>(i % 8)]}, args(i));
    });
    for (int i = 0; i < 3; ++i) graph.run();
    runtime.wait();
    BOOST_TEST(ran.size() == 120U);
    return ran;
  };
  int different = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto first = order(seed);
    BOOST_TEST(first == order(seed), boost::test_tools::per_element());
    different += first == order(seed + 100) ? 0 : 1;
  }
  BOOST_TEST(different > 4);
}

BOOST_AUTO_TEST_CASE(a_runtime_that_stops_ends_the_runs_that_it_has) {
  for (int round = 0; round < 20; ++round) {
    double x = 0;
    double y = 0;
    std::atomic<int> runs{0};
    Runtime runtime(with_workers(2));
    const Data dx = runtime.scalar(x);
    const Data dy = runtime.scalar(y);
    const RecordedGraph graph = runtime.record([&] {
      runtime.submit(set, {dx}, args(1.0));
      for (int i = 0; i < 5; ++i) runtime.submit(add, {dx, dy});
    });
    std::thread runner([&] {
      try {
        while (true) {
          graph.run();
          ++runs;
        }
      } catch (const Error& error) {
        if (error.code() != ErrorCode::stopped) runs = -1;
      }
    });
    while (runs == 0) std::this_thread::yield();
    runtime.stop();
    runner.join();
    BOOST_TEST(y == 5 * runs);
  }
}

BOOST_AUTO_TEST_CASE(a_runtime_that_ends_waits_for_runs_in_flight) {
  double x = 1;
  std::unique_ptr<RecordedGraph> graph;
  {
    Runtime runtime(with_workers(2));
    const Data dx = runtime.scalar(x);
    graph = std::make_unique<RecordedGraph>(runtime.record([&] {
      for (int i = 0; i < 10; ++i) runtime.submit(twice, {dx}, {}, {.name = "twice"});
    }));
    graph->run();
  }
  BOOST_TEST(x == 1024);
  // A recorded graph may outlive its runtime, but then the program must not run the graph.
  graph.reset();
}

BOOST_AUTO_TEST_CASE(a_trace_has_the_tasks_of_every_run) {
  RuntimeOptions options = with_workers(2);
  options.trace = true;
  Runtime runtime(options);
  double x = 1;
  double y = 1;
  const Data dx = runtime.scalar(x);
  const Data dy = runtime.scalar(y);
  const RecordedGraph graph = runtime.record([&] {
    runtime.submit(twice, {dx}, {}, {.priority = 3, .name = "first"});
    runtime.submit(copy, {dx, dy});
    runtime.submit(twice, {dy}, {}, {.name = "last"});
  });
  std::set<std::uint64_t> runs;
  for (int i = 0; i < 4; ++i) runs.insert(graph.run().id().value());
  runtime.wait();
  const Trace trace = runtime.take_trace();
  BOOST_TEST_REQUIRE(trace.events.size() == 12U);
  std::map<std::uint64_t, const TraceEvent*> events;
  for (const TraceEvent& event : trace.events) events[event.task.value()] = &event;
  BOOST_TEST_REQUIRE(events.size() == 12U);
  for (const std::uint64_t run : runs) {
    BOOST_TEST(!events.contains(run));
    BOOST_TEST_REQUIRE(events.contains(run + 1));
    BOOST_TEST_REQUIRE(events.contains(run + 3));
    BOOST_TEST(trace.name_of(*events[run + 1]) == "first");
    BOOST_TEST(trace.codelet_of(*events[run + 2]) == "copy");
    BOOST_TEST(trace.name_of(*events[run + 3]) == "last");
    BOOST_TEST(events[run + 1]->priority == 3);
    for (const std::uint64_t before : {run + 1, run + 2}) {
      const TraceDependency expected{TaskId(before), TaskId(before + 1)};
      BOOST_TEST((std::ranges::find(trace.dependencies, expected) != trace.dependencies.end()));
      BOOST_TEST((events[before]->end <= events[before + 1]->start));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
