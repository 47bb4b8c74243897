/// Workers whose actors die, on real threads. In every message order: deterministic_runtime_test.cpp.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>

#include "platform/machine/binding.hpp"
#include "proto/random.hpp"
#include "tests/actors/runtime_fixture.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(worker_loss)

namespace {

using tests::TestRuntime;
using tests::workers;

WorkerId id(std::uint64_t worker) { return WorkerId(static_cast<std::uint32_t>(worker)); }

BOOST_AUTO_TEST_CASE(a_sleeping_worker_is_replaced) {
  TestRuntime runtime(workers(2));
  std::atomic<int> ran{0};
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
  for (int i = 1; i <= 50; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    for (int w = 0; w < 2; ++w) runtime->kill_worker(id(w));
    runtime.submit(count);
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(ran == i);
  }
}

BOOST_AUTO_TEST_CASE(a_worker_that_dies_during_a_kernel_finishes_it) {
  TestRuntime runtime(workers(1));
  std::atomic<int> ran{0};
  const Codelet suicidal = Codelet("suicidal", {}).cpu([&](const KernelContext& context) {
    runtime->kill_worker(context.worker);
    ++ran;
  });
  for (int i = 0; i < 100; ++i) runtime.submit(suicidal);
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(ran == 100);
  BOOST_TEST(runtime->report().workers[0].tasks == 100U);
}

BOOST_AUTO_TEST_CASE(a_replacement_is_bound_again) {
  TestRuntime runtime(RuntimeOptions{});
  if (!runtime->topology().bindable) {
    tests::skip(runtime->topology().unbindable_because);
    return;
  }
  for (std::uint64_t w = 0; w < runtime->workers(); ++w) runtime->kill_worker(id(w));
  std::atomic<int> elsewhere{0};
  const Codelet look = Codelet("look", {}).cpu([&](const KernelContext& context) {
    const auto pus = platform::this_thread_binding().value();
    if (pus != platform::CpuSet{runtime->topology().cores[context.worker.index()].pu}) ++elsewhere;
  });
  for (int i = 0; i < 2000; ++i) runtime.submit(look);
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(elsewhere == 0);
}

BOOST_AUTO_TEST_CASE(workers_that_die_all_the_time_lose_nothing) {
  for (const char* policy : {"lws", "ws", "eager"}) {
    TestRuntime runtime(workers(4, policy));
    std::atomic<bool> done{false};
    std::thread killer([&] {
      Random random(7);
      while (!done) {
        runtime->kill_worker(id(random.below(4)));
        std::this_thread::sleep_for(std::chrono::microseconds(50 + random.below(300)));
      }
    });
    std::atomic<int> ran{0};
    std::int64_t sum = 0;
    const Handle handle = runtime.scalar(sum);
    const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
    const Codelet add = Codelet("add", {AccessMode::commute}).cpu([](std::int64_t& x) { ++x; });
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 200; ++i) {
        runtime.submit(count);
        runtime.submit(add, {handle});
      }
      BOOST_TEST(runtime.wait() == "");
    }
    done = true;
    killer.join();
    BOOST_TEST(ran == 4000);
    BOOST_TEST(sum == 4000);
  }
}

BOOST_AUTO_TEST_CASE(a_runtime_stops_while_workers_die) {
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> ran{0};
    {
      TestRuntime runtime(workers(3));
      const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
      for (int task = 0; task < 20; ++task) runtime.submit(count);
      for (int w = 0; w < 3; ++w) runtime->kill_worker(id(w));
    }
    BOOST_TEST(ran == 20);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
