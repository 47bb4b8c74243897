// Tests of the guarantees for tasks and whole runs when nothing fails.
#include "troupe/runtime.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "graph/submission_observer.hpp"
#include "graph/tasks/task.hpp"
#include "tests/client/fixture.hpp"
#include "tests/support/thread_checks.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(runtime)

namespace {

/// Waits until `done` returns true. Returns false after ten seconds or more.
bool soon(const std::function<bool()>& done) {
  for (int i = 0; i < 10000 && !done(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return done();
}

BOOST_AUTO_TEST_CASE(every_policy_and_number_of_workers_gives_the_sequential_result) {
  for (const char* policy : {"eager", "ws", "lws"}) {
    for (const int workers : {1, 2, 5}) {
      RuntimeOptions options = with_workers(workers);
      options.policy = policy;
      Runtime runtime(options);
      BOOST_TEST(runtime.policy() == policy);
      BOOST_TEST(runtime.workers() == static_cast<std::size_t>(workers));
      double x = 1;
      const Data data = runtime.scalar(x);
      const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](double& x, double a) { x += a; });
      for (int i = 0; i < 20; ++i) {
        runtime.submit(twice(), {data});
        runtime.submit(add, {data}, args(1.0));
      }
      runtime.wait();
      BOOST_TEST(x == (2 << 20) - 1);
      BOOST_TEST(runtime.progress().submitted == 40U);
      BOOST_TEST(runtime.progress().ended == 40U);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_future_tells_when_its_task_has_ended) {
  Runtime runtime(with_workers(2));
  std::atomic<bool> go{false};
  const Codelet waits = Codelet("waits", {}).cpu([&](const KernelContext&) {
    while (!go.load()) std::this_thread::yield();
  });
  const Future future = runtime.submit(waits, {});
  BOOST_TEST(!future.done());
  go = true;
  future.wait();
  future.wait();
  BOOST_TEST((future.status() == TaskStatus::succeeded));
  BOOST_TEST(future.valid());
  BOOST_TEST(!Future().valid());
}

BOOST_AUTO_TEST_CASE(explicit_dependencies_order_tasks_without_common_data) {
  for (int round = 0; round < 50; ++round) {
    Runtime runtime(deterministic(3));
    std::vector<int> order;
    const Codelet note =
        Codelet("note", {}).cpu([&](const KernelContext& context) { order.push_back(context.argument<int>(0)); });
    const Future first = runtime.submit(note, {}, args(1));
    const Future second = runtime.submit(note, {}, args(2), {.after = {first}});
    runtime.submit(note, {}, args(3), {.after = {first, second, first}});
    runtime.wait();
    BOOST_TEST((order == std::vector<int>{1, 2, 3}));
  }
}

BOOST_AUTO_TEST_CASE(ready_tasks_run_by_priority_and_then_as_they_became_ready) {
  for (const char* policy : {"eager", "ws", "lws"}) {
    RuntimeOptions options = deterministic(1);
    options.policy = policy;
    Runtime runtime(options);
    double gate = 0;
    const Data data = runtime.scalar(gate);
    std::vector<int> order;
    const Codelet note =
        Codelet("note", {AccessMode::read}).cpu([&](const double&, int priority) { order.push_back(priority); });
    // No task is ready until the host gives the data back. Then all tasks become ready at once.
    HostAccess closed = runtime.acquire(data, AccessMode::write);
    const std::vector<int> priorities{0, 5, -3, std::numeric_limits<int>::max(), 5, std::numeric_limits<int>::min(), 1};
    for (const int priority : priorities) {
      runtime.submit(note, {data}, args(priority), {.priority = priority});
    }
    closed.give_back();
    runtime.wait();
    std::vector<int> expected = priorities;
    std::sort(expected.rbegin(), expected.rend());
    BOOST_TEST(order == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(callbacks_come_once_each_and_may_submit) {
  ThreadChecks checks;
  Runtime runtime(with_workers(2));
  double x = 1;
  const Data data = runtime.scalar(x);
  std::atomic<int> calls{0};
  std::function<void(const TaskOutcome&)> again = [&](const TaskOutcome& outcome) {
    checks.expect(outcome.status == TaskStatus::succeeded);
    if (++calls < 10) runtime.submit(twice(), {data}, {}, {.callback = again});
  };
  runtime.submit(twice(), {data}, {}, {.callback = again});
  runtime.wait();
  BOOST_TEST(calls.load() == 10);
  BOOST_TEST(x == 1024);
}

BOOST_AUTO_TEST_CASE(kernels_submit_trees_of_tasks) {
  for (const std::size_t window : {std::size_t{1}, std::size_t{65536}}) {
    RuntimeOptions options = with_workers(3);
    options.window = window;
    Runtime runtime(options);
    std::int64_t leaves = 0;
    const Data data = runtime.scalar(leaves);
    const Codelet leaf = Codelet("leaf", {AccessMode::commute}).cpu([](std::int64_t& count) { ++count; });
    Codelet node("node", {});
    node.cpu([&](const KernelContext& context) {
      const int depth = context.argument<int>(0);
      for (int i = 0; i < 2; ++i) {
        if (depth == 0) {
          runtime.submit(leaf, {data});
        } else {
          runtime.submit(node, {}, args(depth - 1));
        }
      }
    });
    runtime.submit(node, {}, args(9));
    runtime.wait();
    BOOST_TEST(leaves == 1024);
  }
}

BOOST_AUTO_TEST_CASE(the_destructor_waits_for_tasks_that_tasks_submit) {
  std::atomic<int> ran{0};
  Codelet chain("chain", {});  // The codelet must outlive the runtime, because the tasks refer to it.
  {
    Runtime runtime(with_workers(2));
    chain.cpu([&](const KernelContext& context) {
      ++ran;
      const int left = context.argument<int>(0);
      if (left > 0) runtime.submit(chain, {}, args(left - 1));
    });
    runtime.submit(chain, {}, args(200));
  }
  BOOST_TEST(ran.load() == 201);
}

BOOST_AUTO_TEST_CASE(several_threads_submit_into_a_window_of_one) {
  ThreadChecks checks;
  RuntimeOptions options = with_workers(2);
  options.window = 1;
  Runtime runtime(options);
  double shared = 0;
  const Data data = runtime.scalar(shared);
  const Codelet add = Codelet("add", {AccessMode::commute}).cpu([](double& x) { x += 1; });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      double own = 1;
      const Data mine = runtime.scalar(own);
      for (int i = 0; i < 50; ++i) {
        runtime.submit(add, {data});
        if (i % 5 == 0) runtime.submit(twice(), {mine});
      }
      runtime.wait(mine);
      checks.expect(own == 1024);
    });
  }
  for (std::thread& thread : threads) thread.join();
  runtime.wait();
  BOOST_TEST(shared == 200);
}

BOOST_AUTO_TEST_CASE(a_report_counts_the_time_of_a_kernel_that_runs) {
  std::atomic<bool> runs{false}, ends{false};
  Runtime runtime(with_workers(1));
  runtime.submit([&] {
    for (runs = true; !ends;) std::this_thread::yield();
  });
  while (!runs) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const Duration busy = runtime.report().workers[0].time.busy;
  ends = true;
  BOOST_TEST((busy >= std::chrono::milliseconds(20)));
}

BOOST_AUTO_TEST_CASE(a_full_window_opens_while_long_kernels_run) {
  RuntimeOptions options = with_workers(2);
  options.window = 4;
  Runtime runtime(options);
  std::atomic<bool> go{false};
  std::atomic<int> ran{0};
  const Codelet waits = Codelet("waits", {}).cpu([&](const KernelContext&) {
    while (!go.load()) std::this_thread::sleep_for(std::chrono::microseconds(100));
  });
  const Codelet quick = Codelet("quick", {}).cpu([&](const KernelContext&) { ++ran; });
  runtime.submit(waits, {});
  // One worker is blocked in a kernel. The other worker frees room in the window again and again.
  for (int i = 0; i < 100; ++i) runtime.submit(quick, {});
  BOOST_TEST(soon([&] { return ran.load() == 100; }));
  go = true;
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(a_stop_waits_for_running_tasks_and_wakes_submitters) {
  RuntimeOptions options = with_workers(1);
  options.window = 2;
  Runtime runtime(options);
  std::atomic<bool> refused{false};
  std::atomic<int> ran{0};
  const Codelet slow = Codelet("slow", {}).cpu([&](const KernelContext&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++ran;
  });
  std::atomic<int> accepted{0};
  std::thread submitter([&] {
    try {
      while (true) {
        runtime.submit(slow, {});
        ++accepted;
      }
    } catch (const Error& error) {
      refused = error.code() == ErrorCode::stopped;
    }
  });
  BOOST_TEST(soon([&] { return ran.load() > 3; }));
  runtime.stop();
  submitter.join();
  BOOST_TEST(refused.load());
  BOOST_TEST(ran.load() == accepted.load());
}

BOOST_AUTO_TEST_CASE(the_report_counts_every_task) {
  Runtime runtime(with_workers(3));
  double x = 1;
  const Data data = runtime.scalar(x);
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([](const double&) {});
  for (int i = 0; i < 300; ++i) runtime.submit(look, {data});
  runtime.wait();
  const RunReport report = runtime.report();
  BOOST_TEST(report.submitted == 300U);
  BOOST_TEST(report.ended == 300U);
  BOOST_TEST_REQUIRE(report.workers.size() == 3U);
  std::uint64_t tasks = 0;
  for (const WorkerReport& worker : report.workers) tasks += worker.counts.tasks;
  BOOST_TEST(tasks == 300U);
}

BOOST_AUTO_TEST_CASE(a_trace_has_every_task_with_its_time_and_work) {
  RuntimeOptions options = with_workers(2);
  options.trace = true;
  Runtime runtime(options);
  std::vector<double> numbers(10);
  const Data data = runtime.vector(numbers);
  const Codelet fill =
      Codelet("fill", {AccessMode::write})
          .cpu([](VectorView<double> v) { std::fill(v.begin(), v.end(), 1.0); })
          .flops([](const KernelContext& context) { return static_cast<double>(context.vector<double>(0).size()); });
  std::vector<Future> futures;
  for (int i = 0; i < 20; ++i) futures.push_back(runtime.submit(fill, {data}));
  runtime.wait();
  const Trace trace = runtime.take_trace();
  const auto& events = trace.events;
  BOOST_TEST_REQUIRE(events.size() == 20U);
  for (std::size_t i = 0; i < events.size(); ++i) {
    BOOST_TEST((events[i].task == futures[i].id()));
    BOOST_TEST(trace.codelet_of(events[i]) == "fill");
    BOOST_TEST(events[i].flops == 10);
    BOOST_TEST((events[i].end >= events[i].start));
  }
  BOOST_TEST(runtime.take_trace().events.empty());
}

BOOST_AUTO_TEST_CASE(two_runtimes_work_side_by_side) {
  Runtime first(with_workers(2));
  Runtime second(with_workers(2));
  double x = 1;
  double y = 1;
  const Data dx = first.scalar(x);
  const Data dy = second.scalar(y);
  for (int i = 0; i < 10; ++i) {
    first.submit(twice(), {dx});
    second.submit(twice(), {dy});
  }
  first.wait();
  second.wait();
  BOOST_TEST(x == 1024);
  BOOST_TEST(y == 1024);
}

BOOST_AUTO_TEST_CASE(a_runtime_ends_in_another_thread_while_the_one_that_made_it_lives) {
  double x = 1;
  auto runtime = std::make_unique<Runtime>(with_workers(2));
  std::thread([&x, own = std::move(runtime)]() mutable {
    Data data = own->scalar(x);
    own->submit(twice(), {data});
    data.release();
    own.reset();
  }).join();
  BOOST_TEST(x == 2);
}

/// Records the priorities of the submitted tasks, in the order of submission.
class SeenTasks final : public graph::SubmissionObserver {
 public:
  void submitted(const graph::Task& task) noexcept override { priorities_.push_back(task.priority); }
  [[nodiscard]] const std::vector<int>& priorities() const { return priorities_; }

 private:
  std::vector<int> priorities_;
};

BOOST_AUTO_TEST_CASE(an_observer_sees_every_task_in_order_under_any_policy) {
  for (const char* policy : {"lws", "mct"}) {
    const auto seen = std::make_shared<SeenTasks>();
    RuntimeOptions options = with_workers(2);
    options.policy = policy;
    options.observation.observer = seen;
    Runtime runtime(options);
    double x = 1;
    const Data data = runtime.scalar(x);
    for (int i = 0; i < 5; ++i) runtime.submit(twice(), {data}, {}, {.priority = i});
    runtime.wait();
    BOOST_TEST(x == 32);
    BOOST_TEST(seen->priorities() == (std::vector<int>{0, 1, 2, 3, 4}), boost::test_tools::per_element());
  }
}

/// Returns how many times workers have gone to sleep so far.
std::uint64_t sleeps(const Runtime& runtime) {
  std::uint64_t parks = 0;
  for (const WorkerReport& worker : runtime.report().workers) parks += worker.counts.parks;
  return parks;
}

/// Waits until no worker has gone to sleep for 10 ms. Returns how many times workers have gone to sleep so far.
std::uint64_t settled_sleeps(const Runtime& runtime) {
  std::uint64_t last = 0;
  while (last == 0 || last != sleeps(runtime)) {
    last = sleeps(runtime);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return last;
}

/// Makes a submission that fails, because the codelet has no kernel. Before the failure, the runtime may already wake a
/// worker for the new task (the early wake-up).
void submit_in_vain(Runtime& runtime, const std::vector<Access>& accesses) {
  const std::vector<AccessMode> modes(accesses.size(), AccessMode::read_write);
  BOOST_CHECK_EXCEPTION(runtime.submit(Codelet("nowhere", modes), accesses), Error,
                        failure(ErrorCode::no_implementation));
}

/// Returns true if `submit_in_vain` wakes a worker. The worker finds no task and goes to sleep once more.
bool wakes_somebody(Runtime& runtime, const std::vector<Access>& accesses) {
  const std::uint64_t before = settled_sleeps(runtime);
  submit_in_vain(runtime, accesses);
  return soon([&] { return sleeps(runtime) > before; });
}

/// Returns true if `submit_in_vain` wakes no worker. A worker that was just going to sleep is counted as woken, so the
/// function tries several times.
bool wakes_nobody(Runtime& runtime, const std::vector<Access>& accesses) {
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t before = settled_sleeps(runtime);
    submit_in_vain(runtime, accesses);
    if (settled_sleeps(runtime) == before) return true;
  }
  return false;
}

BOOST_AUTO_TEST_CASE(a_sleeping_worker_is_woken_before_a_task_is_submitted_that_will_be_ready) {
  Runtime runtime(with_workers(2));
  double x = 1;
  const Data data = runtime.scalar(x);
  BOOST_TEST(wakes_somebody(runtime, {}));
  // All workers sleep, so no task is running, and the new task cannot have to wait for a predecessor.
  BOOST_TEST(wakes_somebody(runtime, {data}));
}

BOOST_AUTO_TEST_CASE(nobody_is_woken_early_for_a_task_that_may_have_to_wait_or_that_not_everybody_can_run) {
  Runtime runtime(with_workers(2));
  double x = 1;
  const Data data = runtime.scalar(x);
  std::atomic<bool> go{false};
  const Codelet waits = Codelet("waits", {}).cpu([&](const KernelContext&) {
    while (!go.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  runtime.submit(waits, {});
  BOOST_TEST(wakes_nobody(runtime, {data}));
  go = true;
  runtime.wait();
  // After a task that not every worker can run, the runtime wakes no worker early any more, because the woken worker
  // might be unable to run the waiting tasks.
  runtime.submit(twice(), {data}, {}, {.devices = DeviceSet::worker(WorkerId(0))});
  runtime.wait();
  BOOST_TEST(wakes_nobody(runtime, {}));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
