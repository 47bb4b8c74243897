// Tests recordings with real threads; small enough for the thread sanitizer.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "graph/task_graph.hpp"
#include "proto/random.hpp"
#include "tests/support/graph_data.hpp"
#include "tests/support/random/recording_data.hpp"
#include "tests/support/thread_checks.hpp"
#include "tests/support/thread_host.hpp"

namespace troupe::graph {

namespace task_graph_recording_threads {

using tests::record;
using tests::register_scalar;
using tests::run;
using tests::SharedRecording;
using tests::submit;
using tests::ThreadHost;
using tests::try_run;

void run_all(std::size_t threads, const std::function<void(std::size_t)>& body) {
  std::vector<std::thread> all;
  for (std::size_t i = 0; i < threads; ++i) all.emplace_back(body, i);
  for (std::thread& thread : all) thread.join();
}

struct Fixture {
  tests::ThreadChecks checks;
  const Codelet increment = Codelet("increment", {AccessMode::read_write}).cpu([](std::int64_t& x) { ++x; });
  const Codelet commuting = Codelet("commuting", {AccessMode::commute}).cpu([](std::int64_t& x) { ++x; });
  const Codelet reducing = Codelet("reducing", {AccessMode::reduce}).cpu([](std::int64_t& x) { ++x; });
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([](const std::int64_t&) {});
  const Codelet sum =
      Codelet("sum", {AccessMode::read, AccessMode::read_write}).cpu([](const std::int64_t& x, std::int64_t& y) {
        y += x;
      });
};

}  // namespace task_graph_recording_threads

BOOST_FIXTURE_TEST_SUITE(task_graph_recording_threads, Fixture)

BOOST_AUTO_TEST_CASE(several_threads_run_recordings_of_their_own_and_shared_ones) {
  ThreadHost host({.workers = 3, .window = 200});
  TaskGraph& graph = host.graph();
  std::int64_t shared = 0;
  const Handle hs = register_scalar(graph, shared);
  const SharedRecording common = record(graph, [&] {
    for (int i = 0; i < 5; ++i) submit(graph, increment, {hs});
    for (int i = 0; i < 5; ++i) submit(graph, commuting, {hs});
  });
  run_all(3, [&](std::size_t) {
    std::int64_t own = 0;
    const Handle x = register_scalar(graph, own);
    const auto mine = record(graph, [&] {
      for (int i = 0; i < 4; ++i) submit(graph, increment, {x});
      for (int i = 0; i < 4; ++i) submit(graph, look, {x});
      submit(graph, commuting, {hs});
      submit(graph, increment, {x});
    });
    for (int i = 0; i < 60; ++i) {
      run(graph, mine);
      run(graph, common);
      submit(graph, commuting, {hs});
    }
    graph.release(x).value_or_throw();
    checks.expect(own == 300);
  });
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(shared == 3 * 60 * 12);
}

BOOST_AUTO_TEST_CASE(several_threads_run_one_recording_on_data_of_their_own) {
  ThreadHost host({.workers = 3});
  TaskGraph& graph = host.graph();
  std::int64_t in = 0;
  std::int64_t out = 0;
  const Handle hi = register_scalar(graph, in);
  const Handle ho = register_scalar(graph, out);
  const SharedRecording recording = record(graph, [&] {
    submit(graph, increment, {hi});
    submit(graph, sum, {hi, ho});
    submit(graph, sum, {hi, ho});
  });
  run_all(3, [&](std::size_t) {
    std::int64_t x = 0;
    std::int64_t y = 0;
    const Handle hx = register_scalar(graph, x);
    const Handle hy = register_scalar(graph, y);
    for (int i = 0; i < 100; ++i) run(graph, recording, {{hi, hx}, {ho, hy}});
    graph.release(hy).value_or_throw();
    graph.release(hx).value_or_throw();
    checks.expect(x == 100);
    checks.expect(y == 100 * 101);
  });
  BOOST_TEST(in == 0);
  run(graph, recording);
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(out == 2);
}

BOOST_AUTO_TEST_CASE(wide_recordings_end_once_all_their_tasks_have) {
  constexpr int kTasks = 200;
  ThreadHost host({.workers = 4});
  TaskGraph& graph = host.graph();
  std::vector<std::int64_t> values(kTasks);
  std::vector<Handle> handles;
  for (std::int64_t& value : values) handles.push_back(register_scalar(graph, value));
  std::int64_t total = 0;
  const Handle ht = register_scalar(graph, total);
  graph.set_reduction(ht, sum_reduction<std::int64_t>()).value_or_throw();
  const auto recording = record(graph, [&] {
    for (const Handle& handle : handles) submit(graph, increment, {handle});
    for (const Handle& handle : handles) submit(graph, increment, {handle});
    for (int i = 0; i < 50; ++i) submit(graph, reducing, {ht});
  });
  for (int i = 1; i <= 30; ++i) {
    checks.expect(graph.wait(run(graph, recording)).ok());
    std::int64_t seen = 0;
    for (const std::int64_t value : values) seen += value;
    BOOST_TEST_REQUIRE(seen == 2 * kTasks * i);
    BOOST_TEST_REQUIRE(total == 50 * i);
  }
}

BOOST_AUTO_TEST_CASE(recordings_are_dropped_while_their_runs_are_in_flight) {
  ThreadHost host({.workers = 3, .window = 64});
  TaskGraph& graph = host.graph();
  std::int64_t value = 0;
  const Handle x = register_scalar(graph, value);
  run_all(3, [&](std::size_t) {
    for (int i = 0; i < 80; ++i) {
      const auto recording = record(graph, [&] {
        for (int j = 0; j < 3; ++j) submit(graph, commuting, {x});
        submit(graph, look, {x});
      });
      run(graph, recording);
      run(graph, recording);
    }
  });
  BOOST_TEST(graph.wait_all().ok());
  BOOST_TEST(value == 3 * 80 * 2 * 3);
}

BOOST_AUTO_TEST_CASE(failures_and_cancellations_from_all_sides_leave_later_runs_alone) {
  ThreadHost host({.workers = 3, .window = 100});
  TaskGraph& graph = host.graph();
  std::atomic<int> calls{0};
  const Codelet sometimes = Codelet("sometimes", {AccessMode::read_write}).cpu([&](std::int64_t& x) {
    if (calls.fetch_add(1) % 7 == 0) throw std::runtime_error("seven");
    ++x;
  });
  const Codelet reset = Codelet("reset", {AccessMode::write}).cpu([](std::int64_t& x) { x = 0; });
  std::atomic<int> unsuccessful{0};
  run_all(3, [&](std::size_t thread) {
    std::int64_t own = 0;
    std::int64_t other = 0;
    const Handle x = register_scalar(graph, own);
    const Handle y = register_scalar(graph, other);
    graph.set_reduction(y, sum_reduction<std::int64_t>()).value_or_throw();
    const auto recording = record(graph, [&] {
      const Future first = submit(graph, reset, {x});
      submit(graph, sometimes, {x});
      submit(graph, reset, {y});
      for (int i = 0; i < 3; ++i) submit(graph, reducing, {y}, {}, {.after = {first}});
      submit(graph, sum, {x, y});
    });
    for (int i = 0; i < 100; ++i) {
      const Future future = run(graph, recording);
      if (i % 9 == 0) graph.cancel(future);
      if (thread == 0 && i % 25 == 24) graph.cancel_all();
      const bool succeeded = graph.wait(future).ok();
      checks.expect(succeeded == (future.status() == TaskStatus::succeeded));
      if (!succeeded) {
        ++unsuccessful;
        continue;
      }
      checks.expect(own == 1);
      checks.expect(other == 4);
    }
    graph.release(x).value_or_throw();
    graph.release(y).value_or_throw();
  });
  BOOST_TEST(!graph.wait_all().ok());
  BOOST_TEST(unsuccessful.load() > 0);
}

BOOST_AUTO_TEST_CASE(runs_are_looked_at_while_they_begin_and_end) {
  ThreadHost host({.workers = 2, .window = 100});
  TaskGraph& graph = host.graph();
  std::int64_t value = 0;
  std::int64_t other = 0;
  const Handle x = register_scalar(graph, value, "x");
  const Handle y = register_scalar(graph, other, "y");
  std::atomic<bool> done{false};
  std::thread inspector([&] {
    while (!done.load()) {
      graph.inspect([] { return std::vector<RunningTask>(); },
                    [&](const GraphSnapshot& snapshot) {
                      for (const TaskEdge& edge : snapshot.edges) {
                        checks.expect(edge.predecessor < snapshot.nodes.size());
                        checks.expect(edge.successor < snapshot.nodes.size());
                      }
                    });
      std::this_thread::yield();
    }
  });
  for (int recordings = 0; recordings < 10; ++recordings) {
    const auto recording = record(graph, [&] {
      for (int i = 0; i < 5; ++i) submit(graph, increment, {x}, {}, {.name = "a task with a long enough name"});
      for (int i = 0; i < 3; ++i) submit(graph, commuting, {x});
    });
    for (int i = 0; i < 40; ++i) {
      run(graph, recording);
      run(graph, recording, {{x, y}});
    }
  }
  BOOST_TEST(graph.wait_all().ok());
  done = true;
  inspector.join();
  BOOST_TEST(value == 10 * 40 * 8);
  BOOST_TEST(other == value);
}

BOOST_AUTO_TEST_CASE(a_stop_ends_the_runs_that_are_there) {
  for (int round = 0; round < 20; ++round) {
    std::int64_t value = 0;
    std::atomic<int> runs{0};
    {
      ThreadHost host({.workers = 2, .window = 30});
      TaskGraph& graph = host.graph();
      const Handle x = register_scalar(graph, value);
      const auto recording = record(graph, [&] {
        for (int i = 0; i < 8; ++i) submit(graph, increment, {x});
      });
      std::atomic<bool> started{false};
      std::thread runner([&] {
        while (true) {
          const auto outcome = try_run(graph, recording);
          if (!outcome) {
            checks.expect(outcome.failure().code == ErrorCode::stopped);
            return;
          }
          ++runs;
          started = true;
        }
      });
      while (!started) std::this_thread::yield();
      graph.stop_submissions().value_or_throw();
      BOOST_TEST(graph.wait_all().ok());
      runner.join();
    }
    BOOST_TEST(value == 8 * runs.load());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
