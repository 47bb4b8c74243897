// Tests on which cores a runtime's workers run, and which graphs' tasks these workers run.
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "platform/machine/binding.hpp"
#include "tests/actors/runtime_fixture.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(runtime_cores)

namespace {

using tests::TestRuntime;

BOOST_AUTO_TEST_CASE(every_kernel_runs_on_exactly_the_core_of_its_worker) {
  RuntimeOptions options;
  TestRuntime runtime(options);
  if (!runtime->topology().bindable) {
    tests::skip(runtime->topology().unbindable_because);
    return;
  }
  std::mutex mutex;
  std::map<WorkerId, std::set<platform::CpuSet>> seen;
  const Codelet look = Codelet("look", {}).cpu([&](const KernelContext& context) {
    const auto pus = platform::this_thread_binding();
    const std::lock_guard lock(mutex);
    seen[context.worker].insert(pus.value());
  });
  // Each round submits so many tasks that every worker should get some.
  for (int round = 0; round < 200 && seen.size() < runtime->workers(); ++round) {
    for (int i = 0; i < 200; ++i) runtime.submit(look);
    BOOST_TEST(runtime.wait() == "");
  }
  BOOST_TEST(seen.size() == runtime->workers());
  for (const auto& [worker, sets] : seen) {
    BOOST_TEST_REQUIRE(sets.size() == 1U);
    BOOST_TEST((*sets.begin() == platform::CpuSet{runtime->topology().cores[worker.index()].pu}));
    BOOST_TEST(runtime->report().workers[worker.index()].bound_to == runtime->topology().cores[worker.index()].pu);
  }
}

BOOST_AUTO_TEST_CASE(tasks_of_a_numa_node_whose_workers_are_busy_are_done_by_others) {
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:2 numa:1 core:1 pu:1";
  TestRuntime runtime(options);
  std::atomic<bool> open{false};
  std::atomic<int> blocked{0};
  const Codelet block = Codelet("block", {}).cpu([&](const KernelContext&) {
    ++blocked;
    while (!open) std::this_thread::sleep_for(std::chrono::microseconds(200));
  });
  runtime.submit(block);
  const auto soon = [](auto&& holds) {
    for (int i = 0; i < 5000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return holds();
  };
  const auto asleep = [&](const WhyWorker& worker) { return worker.state == WhyWorkerState::asleep; };
  BOOST_TEST_REQUIRE(soon([&] { return blocked == 1; }));
  BOOST_TEST_REQUIRE(soon([&] { return std::ranges::count_if(runtime->why().workers, asleep) == 1; }));
  std::atomic<int> done{0};
  const Codelet touch = Codelet("touch", {}).cpu([&](const KernelContext&) { ++done; });
  for (std::uint32_t node = 0; node < 2; ++node) {
    for (int i = 0; i < 4; ++i) runtime.submit(touch, {}, {.numa_node = NumaId(node)});
  }
  const bool all_done = soon([&] { return done == 8; });
  open = true;
  BOOST_TEST(all_done);
  BOOST_TEST(runtime.wait() == "");
}

BOOST_AUTO_TEST_CASE(hyperthreads_are_workers_only_where_asked_for) {
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:2 l3:1 core:3 pu:2";
  BOOST_TEST(TestRuntime(options)->workers() == 6U);
  options.threads.hyperthreads = true;
  BOOST_TEST(TestRuntime(options)->workers() == 12U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
