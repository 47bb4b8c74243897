#include "actors/running/runtime_system.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "actors/options/option_table.hpp"
#include "platform/machine/binding.hpp"
#include "tests/actors/runtime_fixture.hpp"
#include "tests/platform/machine/fake_system.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(runtime_system)

namespace {

using tests::TestRuntime;
using tests::workers;
namespace data = boost::unit_test::data;

const std::vector<std::string> kPolicies{"lws", "ws", "eager"};

Failure refusal(const RuntimeOptions& options) {
  auto started = RuntimeSystem::start(options);
  BOOST_TEST_REQUIRE(!started.ok());
  return started.failure();
}

/// Runs a grid of tasks in which every task needs its left and its upper neighbour. Returns false if a task failed, ran
/// before its predecessors, or did not run. May be called from any thread.
bool grid_is_right(TestRuntime& runtime, int size) {
  std::vector<std::int64_t> rows(size);
  std::vector<std::int64_t> columns(size);
  std::vector<Handle> row_handles;
  std::vector<Handle> column_handles;
  for (std::int64_t& row : rows) row_handles.push_back(runtime.scalar(row));
  for (std::int64_t& column : columns) column_handles.push_back(runtime.scalar(column));
  std::atomic<int> wrong{0};
  const Codelet cell = Codelet("cell", {AccessMode::read_write, AccessMode::read_write})
                           .cpu([&](std::int64_t& row, std::int64_t& column) {
                             if (row < 0 || column < 0) ++wrong;
                             ++row;
                             ++column;
                           });
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      runtime.submit(cell, {row_handles[i], column_handles[j]}, {.priority = (i * j) % 3});
    }
  }
  bool right = runtime.wait().empty() && wrong == 0;
  for (int i = 0; i < size; ++i) right = right && rows[i] == size && columns[i] == size;
  return right;
}

BOOST_DATA_TEST_CASE(a_program_runs_on_every_number_of_workers,
                     data::make(kPolicies) * data::make(std::vector<int>{1, 2, 3, 16}), policy, count) {
  TestRuntime runtime(workers(count, policy));
  BOOST_TEST(runtime->workers() == static_cast<std::size_t>(count));
  BOOST_TEST(runtime->policy() == policy);
  for (int i = 0; i < 3; ++i) BOOST_TEST(grid_is_right(runtime, 40));
}

BOOST_AUTO_TEST_CASE(the_report_counts_every_task_once) {
  TestRuntime runtime(workers(4));
  std::atomic<std::uint64_t> ran{0};
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
  for (int i = 0; i < 5000; ++i) runtime.submit(count);
  BOOST_TEST(runtime.wait() == "");
  const RunReport report = runtime->report();
  BOOST_TEST(ran == 5000U);
  BOOST_TEST(report.submitted == 5000U);
  BOOST_TEST(report.ended == 5000U);
  BOOST_TEST_REQUIRE(report.workers.size() == 4U);
  std::uint64_t tasks = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    tasks += report.workers[i].counts.tasks;
    BOOST_TEST((report.workers[i].worker == WorkerId(static_cast<std::uint32_t>(i))));
    BOOST_TEST(report.workers[i].counts.stolen_tasks >= report.workers[i].counts.steals);
  }
  BOOST_TEST(tasks == 5000U);
}

/// One kernel submits many tasks to its own worker's deque and does not return, so all of them have to be stolen.
BOOST_AUTO_TEST_CASE(what_is_stolen_is_counted) {
  TestRuntime runtime(workers(3, "ws"));
  std::atomic<int> ran{0};
  const Codelet leaf = Codelet("leaf", {}).cpu([&](const KernelContext&) { ++ran; });
  const Codelet root = Codelet("root", {}).cpu([&](const KernelContext&) {
    for (int i = 0; i < 1000; ++i) runtime.submit(leaf);
    while (ran < 1000) std::this_thread::yield();
  });
  runtime.submit(root);
  BOOST_TEST(runtime.wait() == "");
  std::uint64_t stolen = 0;
  for (const WorkerReport& worker : runtime->report().workers) stolen += worker.counts.stolen_tasks;
  // A stolen task may be stolen again by another thief, so the count may be higher.
  BOOST_TEST(stolen >= 1000U);
}

BOOST_AUTO_TEST_CASE(a_trace_has_every_task_by_start_time_without_overlap_on_a_worker) {
  RuntimeOptions options = workers(3);
  options.trace = true;
  TestRuntime runtime(options);
  BOOST_TEST(grid_is_right(runtime, 20));
  const Trace trace = runtime->take_trace();
  BOOST_TEST_REQUIRE(trace.events.size() == 400U);
  std::map<WorkerId, TimeStamp> free_at;
  std::set<TaskId> tasks;
  TimeStamp last{};
  for (const TraceEvent& event : trace.events) {
    BOOST_TEST_REQUIRE(event.start.count() >= last.count());
    last = event.start;
    BOOST_TEST_REQUIRE(event.end.count() >= event.start.count());
    BOOST_TEST_REQUIRE(event.start.count() >= free_at[event.worker].count());
    free_at[event.worker] = event.end;
    tasks.insert(event.task);
    BOOST_TEST_REQUIRE(trace.codelet_of(event) == "cell");
  }
  BOOST_TEST(tasks.size() == 400U);
  BOOST_TEST(runtime->take_trace().events.empty());
}

BOOST_AUTO_TEST_CASE(a_trace_has_the_dependencies_and_they_agree_with_the_times) {
  RuntimeOptions options = workers(3);
  options.trace = true;
  TestRuntime runtime(options);
  BOOST_TEST(grid_is_right(runtime, 20));
  const Trace trace = runtime->take_trace();
  std::map<TaskId, const TraceEvent*> events;
  for (const TraceEvent& event : trace.events) events[event.task] = &event;
  // Each cell depends on the cell above it and on the cell to its left. The trace has each dependency once.
  BOOST_TEST(trace.dependencies.size() == 2U * 20 * 19);
  for (const TraceDependency& dependency : trace.dependencies) {
    BOOST_TEST_REQUIRE(events.contains(dependency.before));
    BOOST_TEST_REQUIRE(events.contains(dependency.after));
    BOOST_TEST_REQUIRE(events[dependency.before]->end.count() <= events[dependency.after]->start.count());
  }
  BOOST_TEST(trace.dropped == 0U);
}

BOOST_AUTO_TEST_CASE(a_trace_tells_what_workers_did_between_tasks) {
  RuntimeOptions options = workers(2);
  options.trace = true;
  TestRuntime runtime(options);
  BOOST_TEST(grid_is_right(runtime, 20));
  std::map<WorkerId, std::vector<std::pair<TimeStamp, TimeStamp>>> spans;
  std::array<Duration, 2> asleep{};
  const auto slept = [](Duration time) { return time >= std::chrono::milliseconds(3); };
  // The workers need some time to fall asleep. The trace must show sleep of at least 3 ms for each worker.
  for (int i = 0; i < 2000 && !std::ranges::all_of(asleep, slept); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const Trace trace = runtime->take_trace();
    for (const TraceEvent& event : trace.events) spans[event.worker].emplace_back(event.start, event.end);
    for (const TraceState& state : trace.states) {
      BOOST_TEST((state.state != WorkerActivity::working));
      BOOST_TEST((state.start < state.end));
      spans[state.worker].emplace_back(state.start, state.end);
      if (state.state == WorkerActivity::asleep) asleep[state.worker.index()] += state.end - state.start;
    }
  }
  BOOST_TEST(std::ranges::all_of(asleep, slept));
  for (auto& [worker, times] : spans) {
    std::sort(times.begin(), times.end());
    for (std::size_t i = 1; i < times.size(); ++i) BOOST_TEST_REQUIRE((times[i].first >= times[i - 1].second));
  }
}

BOOST_AUTO_TEST_CASE(a_trace_may_be_taken_while_tasks_run) {
  constexpr std::size_t kTasks = 20'000;
  RuntimeOptions options = workers(3);
  options.trace = true;
  TestRuntime runtime(options);
  std::int64_t value = 0;
  const Handle handle = runtime.scalar(value);
  const Codelet count = Codelet("count", {AccessMode::read_write}).cpu([](std::int64_t& number) { ++number; });
  const Codelet nothing = Codelet("nothing", {}).cpu([](const KernelContext&) {});
  std::atomic<bool> done{false};
  std::size_t taken = 0;
  std::set<TraceDependency> dependencies;
  const auto take = [&] {
    const Trace trace = runtime->take_trace();
    taken += trace.events.size();
    dependencies.insert(trace.dependencies.begin(), trace.dependencies.end());
    for (const TraceEvent& event : trace.events) {
      if (!trace.name_of(event).empty() && trace.codelet_of(event) != "count") return false;
    }
    return trace.dropped == 0;
  };
  bool right = true;
  std::thread taker([&] {
    while (!done) right = take() && right;
  });
  for (std::size_t i = 0; i < kTasks / 2; ++i) {
    runtime.submit(count, {handle}, {.name = "counted"});
    runtime.submit(nothing);
  }
  const std::string failure = runtime.wait();
  done = true;
  taker.join();
  BOOST_TEST(failure == "");
  BOOST_TEST(take());
  BOOST_TEST(right);
  BOOST_TEST(taken == kTasks);
  BOOST_TEST(dependencies.size() == kTasks / 2 - 1);
}

BOOST_AUTO_TEST_CASE(a_trace_that_is_full_counts_what_is_lost_and_the_run_goes_on) {
  RuntimeOptions options = workers(2);
  options.trace = true;
  options.observation.trace_limit = 100;
  TestRuntime runtime(options);
  BOOST_TEST(grid_is_right(runtime, 20));
  const Trace first = runtime->take_trace();
  // While the trace was taken, new events may have used the room that became free.
  BOOST_TEST(first.events.size() + first.dependencies.size() + first.states.size() <= 110U);
  BOOST_TEST(first.dropped >= 300U);
  BOOST_TEST((first.complete_until < TimeStamp::max()));
  // Taking the trace has made room for new events.
  BOOST_TEST(grid_is_right(runtime, 3));
  const Trace second = runtime->take_trace();
  BOOST_TEST(second.events.size() == 9U);
}

BOOST_AUTO_TEST_CASE(options_that_cannot_be_used_are_refused) {
  RuntimeOptions options;
  options.policy = "pudding";
  BOOST_TEST((refusal(options).code == ErrorCode::invalid_argument));
  BOOST_TEST(refusal(options).message.find("known are default, eager, ws, lws") != std::string::npos);
  options = {};
  options.window = 0;
  BOOST_TEST((refusal(options).code == ErrorCode::invalid_argument));
  options = {};
  options.cores = -1;
  BOOST_TEST((refusal(options).code == ErrorCode::invalid_argument));
  options = {};
  options.threads.cpus = "0-";
  BOOST_TEST((refusal(options).code == ErrorCode::invalid_argument));
  options = {};
  options.threads.synthetic_topology = "pudding:2";
  BOOST_TEST((refusal(options).code == ErrorCode::invalid_argument));
  options = {};
  options.cores = 100'000;
  BOOST_TEST((refusal(options).code == ErrorCode::platform));
  BOOST_TEST(refusal(options).message.find("asked for 100000 cores") == 0U);
}

/// Returns the PUs (hardware threads) that the thread of worker 0 may run on.
platform::CpuSet binding_of_a_worker(TestRuntime& runtime) {
  platform::CpuSet pus;
  const Codelet look =
      Codelet("look", {}).cpu([&](const KernelContext&) { pus = platform::this_thread_binding().value(); });
  runtime.submit(look);
  BOOST_TEST(runtime.wait() == "");
  return pus;
}

BOOST_AUTO_TEST_CASE(unbound_workers_may_run_wherever_the_process_may) {
  RuntimeOptions options;
  options.threads.bind = false;
  TestRuntime runtime(options);
  BOOST_TEST((binding_of_a_worker(runtime) == platform::this_thread_binding().value()));
  for (const WorkerReport& worker : runtime->report().workers) BOOST_TEST(worker.bound_to == -1);
}

BOOST_AUTO_TEST_CASE(a_runtime_that_a_pinned_thread_starts_uses_all_cores) {
  std::thread pinned([] {
    const platform::CpuSet before = platform::this_thread_binding().value();
    BOOST_TEST_REQUIRE(platform::bind_this_thread(before.front()).ok());
    {
      TestRuntime runtime(RuntimeOptions{});
      BOOST_TEST(runtime->workers() == runtime->topology().cores.size());
      std::set<int> pus;
      for (const WorkerReport& worker : runtime->report().workers) pus.insert(worker.bound_to);
      if (runtime->topology().bindable) BOOST_TEST(pus.size() == runtime->workers());
      BOOST_TEST(grid_is_right(runtime, 30));
    }
    {
      RuntimeOptions options;
      options.threads.bind = false;
      TestRuntime runtime(options);
      BOOST_TEST((binding_of_a_worker(runtime) == runtime->topology().allowed_pus));
    }
    BOOST_TEST((platform::this_thread_binding().value() == platform::CpuSet{before.front()}));
  });
  pinned.join();
}

BOOST_AUTO_TEST_CASE(a_described_machine_has_its_workers_and_nobody_is_bound) {
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:2 numa:1 l3:2 core:4 pu:1";
  TestRuntime runtime(options);
  BOOST_TEST(runtime->workers() == 16U);
  for (const WorkerReport& worker : runtime->report().workers) BOOST_TEST(worker.bound_to == -1);
  BOOST_TEST(runtime->report().workers[9].device == "cpu core 9");
  BOOST_TEST((runtime->topology().victim_order(5).front() == std::vector<int>{6, 7, 4}));
  BOOST_TEST(grid_is_right(runtime, 40));
}

BOOST_AUTO_TEST_CASE(a_restriction_chooses_the_cores) {
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:2 numa:1 l3:2 core:4 pu:1";
  options.threads.cpus = "3,8-11";
  {
    TestRuntime runtime(options);
    std::vector<std::string> devices;
    for (const WorkerReport& worker : runtime->report().workers) devices.push_back(worker.device);
    BOOST_TEST(
        devices == (std::vector<std::string>{"cpu core 3", "cpu core 8", "cpu core 9", "cpu core 10", "cpu core 11"}),
        boost::test_tools::per_element());
  }
  options.cores = 4;
  TestRuntime near(options);
  BOOST_TEST(near->report().workers[0].device == "cpu core 8");
  options.cores = 6;
  const Failure failure = refusal(options);
  BOOST_TEST((failure.code == ErrorCode::platform));
  BOOST_TEST(failure.message.find("3,8-11") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_limit_of_processor_time_limits_the_workers) {
  tests::FakeSystem system;
  system.use_v2("/job/step");
  system.group_file("/job", "cpu.max", "250000 100000");
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:1 core:8 pu:1";
  options.threads.system_root = system.root();
  BOOST_TEST(TestRuntime(options)->workers() == 3U);
  options.cores = 4;
  BOOST_TEST(refusal(options).message.find("2.5 CPUs") != std::string::npos);
  options.threads.oversubscribe = true;
  TestRuntime runtime(options);
  BOOST_TEST(runtime->workers() == 4U);
  BOOST_TEST(grid_is_right(runtime, 20));
}

BOOST_AUTO_TEST_CASE(many_runtimes_live_at_once) {
  std::vector<std::unique_ptr<TestRuntime>> runtimes;
  for (int i = 0; i < 12; ++i) runtimes.push_back(std::make_unique<TestRuntime>(workers(1 + i % 3, kPolicies[i % 3])));
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  threads.reserve(runtimes.size());
  for (auto& runtime : runtimes) threads.emplace_back([&] { right += grid_is_right(*runtime, 25) ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(right == 12);
}

BOOST_AUTO_TEST_CASE(a_kernel_may_use_another_runtime) {
  TestRuntime outer(workers(2));
  std::atomic<int> right{0};
  const Codelet nested = Codelet("nested", {}).cpu([&](const KernelContext&) {
    TestRuntime inner(workers(2));
    right += grid_is_right(inner, 10) ? 1 : 0;
  });
  for (int i = 0; i < 4; ++i) outer.submit(nested);
  BOOST_TEST(outer.wait() == "");
  BOOST_TEST(right == 4);
}

BOOST_AUTO_TEST_CASE(starting_and_stopping_again_and_again) {
  std::atomic<int> ran{0};
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
  for (int i = 0; i < 100; ++i) {
    TestRuntime runtime(workers(1 + i % 4, kPolicies[i % 3]));
    // The runtime is destroyed without any tasks, with tasks that have not run, or after a wait for all tasks.
    for (int task = 0; task < i % 5; ++task) runtime.submit(count);
    if (i % 2 == 0) BOOST_TEST(runtime.wait() == "");
  }
  BOOST_TEST(ran == 200);
}

BOOST_DATA_TEST_CASE(fork_and_join_storms, data::make(kPolicies), policy) {
  TestRuntime runtime(workers(16, policy));
  std::int64_t value = 0;
  const Handle handle = runtime.scalar(value);
  const Codelet join = Codelet("join", {AccessMode::read_write}).cpu([](std::int64_t& x) { ++x; });
  std::atomic<std::int64_t> sum{0};
  const Codelet fork = Codelet("fork", {AccessMode::read}).cpu([&](const std::int64_t& x) { sum += x; });
  constexpr int kStorms = 200;
  constexpr int kWidth = 50;
  for (int storm = 0; storm < kStorms; ++storm) {
    runtime.submit(join, {handle});
    for (int i = 0; i < kWidth; ++i) runtime.submit(fork, {handle});
  }
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(value == kStorms);
  BOOST_TEST(sum == kWidth * kStorms * (kStorms + 1) / 2);
}

/// Kernels submit a tree of tasks, so that all tasks but the root are submitted by the workers' threads.
BOOST_DATA_TEST_CASE(kernels_submit_a_tree, data::make(kPolicies), policy) {
  TestRuntime runtime(workers(4, policy));
  std::atomic<int> leaves{0};
  std::vector<Codelet> levels;
  levels.push_back(Codelet("leaf", {}).cpu([&](const KernelContext&) { ++leaves; }));
  levels.reserve(13);
  for (std::size_t level = 1; level <= 12; ++level) {
    levels.push_back(Codelet("node", {}).cpu([&, level](const KernelContext&) {
      runtime.submit(levels[level - 1]);
      runtime.submit(levels[level - 1]);
    }));
  }
  runtime.submit(levels[12]);
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(leaves == 4096);
}

BOOST_AUTO_TEST_CASE(several_threads_submit_through_a_small_window) {
  RuntimeOptions options = workers(3);
  for (const std::size_t window : {1U, 2U, 3U, 7U, 64U}) {
    options.window = window;
    TestRuntime runtime(options);
    std::atomic<int> ran{0};
    const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) runtime.submit(count);
      });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(ran == 1500);
  }
}

BOOST_AUTO_TEST_CASE(virtual_time_has_no_devices_that_options_choose_and_says_which_options_do) {
  std::size_t asked = 0;
  SimulationOptions simulation;
  simulation.machine = plain_machine({.cores = 4});
  for (const RuntimeOption& option : runtime_options()) {
    if (!option.chooses_devices) continue;
    RuntimeOptions options;
    options.simulation = std::make_shared<const SimulationOptions>(simulation);
    const std::string value = option.kind == OptionKind::whole ? "1" : option.example_list().front();
    BOOST_TEST_REQUIRE(option.set(options, value, "").ok());
    const Failure failure = refusal(options);
    BOOST_TEST((failure.code == ErrorCode::invalid_argument));
    BOOST_TEST(failure.message.find("a run in virtual time") != std::string::npos, failure.message);
    BOOST_TEST(failure.message.find(option.field) != std::string::npos, failure.message);
    ++asked;
  }
  BOOST_TEST(asked > 2U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
