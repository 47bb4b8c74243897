/// Tests of workers whose actors die, on real threads. deterministic_runtime_test.cpp tests all orders of messages.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
  BOOST_TEST(runtime->report().workers[0].counts.tasks == 100U);
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

constexpr int kRan = 3;

void wait_until_parked(TestRuntime& runtime, std::size_t worker, std::uint64_t times) {
  while (runtime->report().workers[worker].counts.parks < times)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Submits a task after the sleeping worker `dead` has died and can get no new thread. Must be called in a child
/// process, because the function limits the number of threads and changes the user (limits do not apply to root). If
/// the task waits for the dead worker, SIGALRM ends the process.
int task_beside_a_sleeper_that_died(std::size_t dead) {
  constexpr unsigned kLongEnough_s = 60;
  const std::size_t alive = 1 - dead;
  const rlimit none{1, 1};
  if (::geteuid() == 0 && ::setuid(4'000'000'000U) != 0) return 1;
  ::alarm(kLongEnough_s);
  std::atomic<int> ran{0};
  {
    TestRuntime runtime(workers(2));
    for (const std::size_t worker : {dead, alive}) wait_until_parked(runtime, worker, 1);
    if (::setrlimit(RLIMIT_NPROC, &none) != 0) return 2;
    runtime->kill_worker(id(dead));
    // The supervisor tells every worker of the loss, so the living worker wakes up and sleeps again.
    wait_until_parked(runtime, alive, 2);
    const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
    runtime.submit(count);
    if (!runtime.wait().empty()) return 4;
  }
  return ran == 1 ? kRan : 5;
}

BOOST_AUTO_TEST_CASE(a_task_does_not_wait_for_a_sleeper_that_died_and_gets_no_thread) {
  // A submission may wake either worker, so the test tries both: it kills one worker in each child process.
  for (const std::size_t dead : {0, 1}) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(task_beside_a_sleeper_that_died(dead));
    int status = 0;
    BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
    BOOST_TEST(WIFEXITED(status));
    BOOST_TEST(WEXITSTATUS(status) == kRan);
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
