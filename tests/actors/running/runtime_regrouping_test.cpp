// Tests that regroup the cores while tasks run. For random programs, see tests/client/random/regrouped_programs_test.cpp.
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/actors/runtime_fixture.hpp"
#include "tests/actors/simulating/machine_by_hand.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(runtime_regrouping)

namespace {

using namespace std::chrono_literals;
using tests::contains;
using tests::TestRuntime;

RuntimeOptions regroupable(int cores, const std::string& clusters = "", const std::string& policy = "lws") {
  RuntimeOptions options = tests::workers(cores, policy);
  options.threads.synthetic_topology = "package:1 core:" + std::to_string(cores) + " pu:1";
  options.clusters = clusters;
  options.threads.regroup = true;
  return options;
}

std::vector<int> sizes(TestRuntime& runtime) {
  std::vector<int> all;
  for (const WorkerReport& worker : runtime->report().workers) all.push_back(worker.cores);
  return all;
}

template <class Holds>
bool soon(Holds&& holds) {
  for (int i = 0; i < 10'000 && !holds(); ++i) std::this_thread::sleep_for(1ms);
  return holds();
}

bool soon_completed(TestRuntime& runtime, std::uint64_t regroupings) {
  return soon([&] { return runtime->report().regroupings >= regroupings; });
}

void regroup(TestRuntime& runtime, const std::string& clusters) {
  const std::uint64_t before = runtime->report().regroupings;
  runtime->regroup(clusters).value_or_throw();
  BOOST_TEST_REQUIRE(soon_completed(runtime, before + 1));
}

std::size_t threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

/// Collects the team sizes and the threads that a kernel of a codelet saw.
struct Seen {
  std::mutex mutex;
  std::set<int> sizes;
  std::set<std::thread::id> members;
};

Codelet look(Seen& seen) {
  return Codelet("look", {}).cpu_team([&seen](const KernelContext& context) {
    context.team().run([&](int, int size) {
      const std::lock_guard lock(seen.mutex);
      seen.sizes.insert(size);
      seen.members.insert(std::this_thread::get_id());
    });
  });
}

BOOST_AUTO_TEST_CASE(kernels_get_the_cores_of_the_new_clusters_and_no_thread_is_added) {
  for (const char* policy : {"lws", "eager", "heft"}) {
    TestRuntime runtime(regroupable(4, "", policy));
    const std::size_t before = threads();  // A thread of an earlier runtime may still be ending and be counted, too.
    Seen seen;
    const Codelet codelet = look(seen);
    std::set<std::thread::id> all;
    for (const auto& [clusters, size] : {std::pair("1x4", 4), std::pair("2x2", 2), std::pair("single", 1)}) {
      regroup(runtime, clusters);
      seen.sizes.clear();
      for (int i = 0; i < 200; ++i) runtime.submit(codelet);
      BOOST_TEST(runtime.wait() == "");
      BOOST_TEST((seen.sizes == std::set{size}), policy << " with " << clusters);
      all.insert(seen.members.begin(), seen.members.end());
    }
    BOOST_TEST(all.size() <= 4U);
    BOOST_TEST(threads() <= before);
  }
}

BOOST_AUTO_TEST_CASE(a_runtime_begins_with_the_clusters_that_it_is_given) {
  TestRuntime runtime(regroupable(5, "1x3"));
  BOOST_TEST_REQUIRE(soon_completed(runtime, 1));
  BOOST_TEST(sizes(runtime) == (std::vector<int>{3, 0, 0, 1, 1}), boost::test_tools::per_element());
  BOOST_TEST(runtime->report().workers[0].members == (std::vector<int>{0, 1, 2}), boost::test_tools::per_element());
  BOOST_TEST(runtime->report().workers[1].members.empty());
  BOOST_TEST(runtime->report().workers[4].members == (std::vector<int>{4}), boost::test_tools::per_element());
  regroup(runtime, "1x2+1x3");
  BOOST_TEST(std::ranges::count(sizes(runtime), 0) == 3);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_runs_is_not_disturbed_and_the_others_go_on) {
  TestRuntime runtime(regroupable(4));
  BOOST_TEST_REQUIRE(soon_completed(runtime, 1));
  std::atomic<bool> open{false};
  std::atomic<std::int64_t> blocked_on{-1};
  const Codelet block = Codelet("block", {}).cpu([&](const KernelContext& context) {
    blocked_on = context.worker.value();
    while (!open) std::this_thread::sleep_for(200us);
  });
  runtime.submit(block);
  BOOST_TEST_REQUIRE(soon([&] { return blocked_on >= 0; }));
  // One of the two pairs waits for the blocked worker. The other pair is formed at once and runs tasks.
  runtime->regroup("2x2").value_or_throw();
  std::this_thread::sleep_for(20ms);
  BOOST_TEST(runtime->report().regroupings == 1U);
  BOOST_TEST(std::ranges::count(sizes(runtime), 1) == 4);
  // The grouping is complete only when all of its workers are ready. The later groupings wait for that.
  runtime->regroup("1x3").value_or_throw();
  runtime->regroup("1x4").value_or_throw();
  const auto why = runtime->why();
  BOOST_TEST(std::ranges::count(why.workers, WhyWorkerState::regrouping, &WhyWorker::state) +
                 std::ranges::count(why.workers, WhyWorkerState::lent, &WhyWorker::state) ==
             3);
  open = true;
  BOOST_TEST_REQUIRE(soon_completed(runtime, 3));
  BOOST_TEST(sizes(runtime) == (std::vector<int>{4, 0, 0, 0}), boost::test_tools::per_element());
  BOOST_TEST(runtime.wait() == "");
}

BOOST_AUTO_TEST_CASE(tasks_that_were_placed_are_placed_again) {
  for (const char* policy : {"lws", "heft", "dada", "homeward"}) {
    TestRuntime runtime(regroupable(3, "", policy));
    BOOST_TEST_REQUIRE(soon_completed(runtime, 1));
    std::atomic<bool> open{false};
    std::atomic<int> waiting{0};
    std::atomic<int> done{0};
    const Codelet block = Codelet("block", {}).cpu([&](const KernelContext&) {
      ++waiting;
      while (!open) std::this_thread::sleep_for(100us);
    });
    // The three tasks become ready at once. Otherwise the first task might already run and no longer count as queued.
    // Then the policy might place a second task on the same worker.
    std::atomic<bool> submitted{false};
    TaskOptions together;
    together.after = {runtime.submit(Codelet("gate", {}).cpu([&](const KernelContext&) {
      while (!submitted) std::this_thread::sleep_for(100us);
    }))};
    for (int i = 0; i < 3; ++i) runtime.submit(block, {}, together);
    submitted = true;
    BOOST_TEST_REQUIRE(soon([&] { return waiting == 3; }), policy);
    const Codelet count = Codelet("count", {}).cpu_team([&](const KernelContext&) { ++done; });
    for (int i = 0; i < 100; ++i) runtime.submit(count);
    std::this_thread::sleep_for(5ms);
    runtime->regroup("1x3").value_or_throw();
    open = true;
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(done == 100);
    BOOST_TEST(sizes(runtime) == (std::vector<int>{3, 0, 0}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(kernels_regroup_too) {
  TestRuntime runtime(regroupable(3));
  const Codelet change = Codelet("change", {}).cpu([&](const KernelContext&) {
    runtime->regroup("1x2").value_or_throw();
    runtime->regroup("1x3").value_or_throw();
  });
  for (int i = 0; i < 50; ++i) runtime.submit(change);
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(soon([&] { return sizes(runtime) == std::vector<int>{3, 0, 0}; }));
}

BOOST_AUTO_TEST_CASE(a_leader_and_a_helper_whose_actors_die_are_replaced) {
  TestRuntime runtime(regroupable(3, "1x3"));
  BOOST_TEST_REQUIRE(soon_completed(runtime, 1));
  Seen seen;
  const Codelet codelet = look(seen);
  for (std::uint32_t round = 0; round < 30; ++round) {
    runtime->kill_worker(WorkerId(round % 3));
    for (int i = 0; i < 20; ++i) runtime.submit(codelet);
    BOOST_TEST(runtime.wait() == "");
  }
  BOOST_TEST((seen.sizes == std::set{3}));
  regroup(runtime, "single");
  BOOST_TEST(sizes(runtime) == (std::vector<int>{1, 1, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(virtual_time_knows_how_many_cores_a_task_has) {
  using namespace by_hand;
  SimulationOptions machine = simulation(0);
  machine.machine.cores = machine.cores = 4;
  machine.real_buffers = false;
  machine.machine.kernels = {
      {"test", "kernel", "double", {{1000, 0, platform::KernelTime{100, 0}, {}, {{4, {40, 0}}}}}, 0}};
  const auto nothing = [](const KernelContext&) {};
  const Codelet work = Codelet("work", {AccessMode::read_write})
                           .cpu(nothing)
                           .cpu_team(nothing)
                           .flops([](const KernelContext&) { return 1000.0; })
                           .timed_as("test/kernel/double");
  for (const auto model : {SimulationOptions::Model::exact, SimulationOptions::Model::learned}) {
    machine.knowledge.model = model;
    RuntimeOptions options = in_virtual_time(machine, "mct");
    options.threads.regroup = true;
    TestRuntime runtime(options);
    Values value(8);
    const Handle handle = registered(runtime, value);
    std::vector<Duration> took;
    std::vector<int> cores;
    for (const char* clusters : {"1x4", "single", "2x2", "1x4"}) {
      BOOST_TEST(runtime->regroup(clusters).ok());
      runtime.submit(work, {handle});
      BOOST_TEST(runtime.wait() == "");
      const Trace trace = runtime->take_trace();
      BOOST_TEST_REQUIRE(trace.events.size() == 1U);
      took.push_back(trace.events[0].end - trace.events[0].start);
      cores.push_back(trace.events[0].cores);
    }
    BOOST_TEST((took == std::vector<Duration>{40us, 100us, 60us, 40us}));
    BOOST_TEST(cores == (std::vector<int>{4, 1, 2, 4}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(tasks_that_nobody_can_run_fail_and_do_not_go_in_circles) {
  using namespace by_hand;
  SimulationOptions machine = simulation(0);
  machine.machine.cores = machine.cores = 4;
  machine.clusters = "1x4";
  machine.real_buffers = false;
  // The machine description has a kernel time for one core, but no time for a cluster.
  machine.machine.kernels = {{"test", "kernel", "double", {{1000, 0, platform::KernelTime{100, 0}, {}, {}}}, 0}};
  for (const char* policy : {"mct", "heft", "dada", "homeward", "heteroprio"}) {
    RuntimeOptions options = in_virtual_time(machine, policy);
    options.threads.regroup = true;
    TestRuntime runtime(options);
    const auto nothing = [](const KernelContext&) {};
    const Codelet unknown = Codelet("unknown", {}).cpu(nothing).cpu_team(nothing).timed_as("test/kernel/double");
    for (int i = 0; i < 5; ++i) runtime.submit(unknown);
    const std::string failure = runtime.wait();
    BOOST_TEST(contains(failure, "'unknown'"), policy << ": " << failure);
    BOOST_TEST(contains(failure, "no times for kernel 'test/kernel/double' on clusters"), policy << ": " << failure);
    BOOST_TEST(!contains(failure, "named a worker"), policy << ": " << failure);
  }
}

BOOST_AUTO_TEST_CASE(policies_leave_helpers_alone_where_no_times_are_known) {
  for (const char* policy : {"mct", "heft", "dada", "homeward", "heteroprio"}) {
    RuntimeOptions options = regroupable(4, "1x4", policy);
    options.threads.deterministic = true;
    TestRuntime runtime(options);
    const Codelet nothing = Codelet("nothing", {}).cpu([](const KernelContext&) {});
    for (int i = 0; i < 20; ++i) runtime.submit(nothing);
    BOOST_TEST(runtime.wait() == "", policy);
  }
}

BOOST_AUTO_TEST_CASE(clusters_change_when_so_many_tasks_have_ended) {
  for (const char* policy : {"lws", "heft"}) {
    RuntimeOptions options = regroupable(4, "1x4,50:2x2,100:single", policy);
    options.threads.regroup = false;
    TestRuntime runtime(options);
    Seen seen;
    const Codelet codelet = look(seen);
    for (const int size : {4, 2, 1}) {
      BOOST_TEST_REQUIRE(soon([&] { return std::ranges::max(sizes(runtime)) == size; }));
      seen.sizes.clear();
      for (int i = 0; i < 50; ++i) runtime.submit(codelet);
      BOOST_TEST(runtime.wait() == "");
      BOOST_TEST(seen.sizes.contains(size), policy);
    }
  }
}

BOOST_AUTO_TEST_CASE(deterministic_runs_repeat) {
  const auto order = [](std::uint64_t seed) {
    RuntimeOptions options = regroupable(4, "2x2");
    options.threads.deterministic = true;
    options.seed = seed;
    TestRuntime runtime(options);
    std::vector<std::uint32_t> ran_on;
    const Codelet note = Codelet("note", {}).cpu([&](const KernelContext& context) {
      ran_on.push_back(context.worker.value());
      if (ran_on.size() % 7 == 0) runtime->regroup(ran_on.size() % 2 == 0 ? "single" : "1x3").value_or_throw();
    });
    for (int i = 0; i < 100; ++i) runtime.submit(note);
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(runtime->report().regroupings > 5U);
    return ran_on;
  };
  BOOST_TEST(order(3) == order(3), boost::test_tools::per_element());
  BOOST_TEST((order(3) != order(4)));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_is_refused) {
  TestRuntime fixed(tests::workers(2));
  const Result<void> no = fixed->regroup("1x2");
  BOOST_TEST_REQUIRE(!no.ok());
  BOOST_TEST(contains(no.failure().message, "set RuntimeOptions::threads.regroup"));
  TestRuntime runtime(regroupable(2));
  BOOST_TEST(contains(runtime->regroup("3x10").failure().message, "ask for 1x2"));
  BOOST_TEST(contains(runtime->regroup("pudding").failure().message, "is no level"));
  BOOST_TEST(runtime.wait() == "");
  const Codelet nothing = Codelet("nothing", {}).cpu([](const KernelContext&) {});
  const auto some = runtime->graph().submit({nothing, {}, {}, {.devices = DeviceSet::worker(WorkerId(1))}});
  BOOST_TEST_REQUIRE(!some.ok());
  BOOST_TEST(contains(some.failure().message, "some of the cores"));
  BOOST_TEST(runtime->graph().submit({nothing, {}, {}, {.devices = DeviceKind::cpu_core}}).ok());
  for (const char* wrong : {"1x2,single", "1x2,0:single", "1x2,5:single,5:1x2", "1x2,many:single", "1x2,"}) {
    BOOST_TEST(contains(RuntimeSystem::start(regroupable(2, wrong)).failure().message, "tasks that have ended"), wrong);
  }
  BOOST_TEST(contains(RuntimeSystem::start(regroupable(2, "1x2,5:1x3")).failure().message, "take 3 cores"));
  const auto start = RuntimeSystem::start(regroupable(2, "1x3"));
  BOOST_TEST_REQUIRE(!start.ok());
  BOOST_TEST(contains(start.failure().message, "take 3 cores, but there are 2"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
