/// Tests behaviour that users notice: an idle runtime costs nothing, and a busy worker gives work away at once.
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <ctime>
#include <thread>

#include "proto/random.hpp"
#include "proto/spin_lock.hpp"
#include "tests/actors/runtime_fixture.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(responsiveness)

namespace {

using tests::TestRuntime;
using tests::workers;
using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;
namespace data = boost::unit_test::data;

double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// If a run hangs, prints a report and ends the whole test program, because a hanging run cannot be stopped in another
/// way.
class Watchdog {
 public:
  Watchdog(TestRuntime& runtime, std::chrono::seconds limit)
      : thread_([this, &runtime, limit] {
          const auto deadline = Clock::now() + limit;
          while (!done_) {
            if (Clock::now() > deadline) {
              const RunReport report = runtime->report();
              std::fprintf(stderr, "hung: %llu tasks submitted, %llu ended\n",
                           static_cast<unsigned long long>(report.submitted),
                           static_cast<unsigned long long>(report.ended));
              std::abort();
            }
            std::this_thread::sleep_for(milliseconds(50));
          }
        }) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    done_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> done_{false};
  std::thread thread_;
};

const std::vector<std::string> kPolicies{"lws", "ws", "eager"};

BOOST_AUTO_TEST_CASE(an_idle_runtime_costs_next_to_nothing) {
  TestRuntime runtime(RuntimeOptions{});
  const Codelet empty = Codelet("empty", {}).cpu([](const KernelContext&) {});
  for (int i = 0; i < 1000; ++i) runtime.submit(empty);
  BOOST_TEST(runtime.wait() == "");
  std::this_thread::sleep_for(milliseconds(20));
  const double before = processor_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const double share = processor_seconds() - before;
  BOOST_TEST_MESSAGE("an idle runtime uses " << 100 * share << " % of a core");
  BOOST_TEST(share < 0.03);
}

/// Only one worker has work, and that work cannot be shared. The other workers must not spin meanwhile.
BOOST_AUTO_TEST_CASE(idle_workers_cost_next_to_nothing_while_another_is_busy) {
  TestRuntime runtime(workers(8));
  const Codelet sleep =
      Codelet("sleep", {}).cpu([](const KernelContext&) { std::this_thread::sleep_for(milliseconds(500)); });
  const double before = processor_seconds();
  runtime.submit(sleep);
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(processor_seconds() - before < 0.05);
}

BOOST_DATA_TEST_CASE(a_steal_does_not_wait_for_the_victims_kernel, data::make(std::vector<std::string>{"lws", "ws"}),
                     policy) {
  for (int repetition = 0; repetition < 5; ++repetition) {
    TestRuntime runtime(workers(2, policy));
    const Watchdog watchdog(runtime, std::chrono::seconds(200));
    std::atomic<bool> same_worker{false};
    std::atomic<int> ran{0};
    WorkerId victim;
    const Codelet small = Codelet("small", {}).cpu([&](const KernelContext& context) {
      same_worker = same_worker || context.worker == victim;
      ++ran;
    });
    const Codelet large = Codelet("large", {}).cpu([&](const KernelContext& context) {
      victim = context.worker;
      // During this pause the other worker, the thief, falls asleep. So it must first be woken, which is its worst
      // case.
      std::this_thread::sleep_for(milliseconds(5));
      for (int i = 0; i < 4; ++i) runtime.submit(small);
      // If the thief waits for the end of this kernel, the loop never ends.
      while (ran < 4) std::this_thread::sleep_for(microseconds(100));
    });
    runtime.submit(large);
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(!same_worker);
  }
}

/// The victim's surplus of tasks comes from a completion, not from submissions.
BOOST_AUTO_TEST_CASE(successors_of_a_task_are_stolen_while_one_of_them_runs) {
  TestRuntime runtime(workers(2));
  const Watchdog watchdog(runtime, std::chrono::seconds(200));
  int value = 0;
  const Handle handle = runtime.scalar(value);
  std::atomic<int> at_once{0};
  std::atomic<int> most{0};
  const Codelet write = Codelet("write", {AccessMode::write}).cpu([](int& x) { x = 1; });
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([&](const int&) {
    if (++at_once == 2) most = 2;
    // The first kernel waits for a second one, which only the other worker can run.
    while (most < 2) std::this_thread::sleep_for(microseconds(100));
    --at_once;
  });
  runtime.submit(write, {handle});
  for (int i = 0; i < 4; ++i) runtime.submit(look, {handle});
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(most == 2);
}

/// Submits single tasks with pauses about as long as a worker looks for work before it sleeps.
BOOST_DATA_TEST_CASE(no_wake_up_is_lost_between_submitter_and_sleeper, data::make(kPolicies), policy) {
  RuntimeOptions options = workers(2, policy);
  options.threads.spin = microseconds(5);
  TestRuntime runtime(options);
  const Watchdog watchdog(runtime, std::chrono::seconds(200));
  std::atomic<int> ran{0};
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ran.fetch_add(1); });
  Random random(3);
  constexpr int kRounds = 8000;
  for (int round = 1; round <= kRounds; ++round) {
    runtime.submit(count);
    while (ran.load() < round) std::this_thread::yield();
    const auto until = Clock::now() + std::chrono::nanoseconds(random.below(12'000));
    while (Clock::now() < until) SpinLock::pause();
  }
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(ran == kRounds);
}

/// The test's thread waits for a few tasks at a time. The completion of the last task must wake the thread.
BOOST_AUTO_TEST_CASE(no_wake_up_of_a_waiting_thread_is_lost) {
  RuntimeOptions options = workers(2);
  options.threads.spin = microseconds(5);
  TestRuntime runtime(options);
  const Watchdog watchdog(runtime, std::chrono::seconds(200));
  std::atomic<int> ran{0};
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ran.fetch_add(1); });
  Random random(5);
  int submitted = 0;
  for (int round = 0; round < 3000; ++round) {
    Future last;
    for (std::uint64_t i = 1 + random.below(4); i > 0; --i, ++submitted) last = runtime.submit(count);
    if (round % 2 == 0) {
      BOOST_TEST_REQUIRE(runtime.wait() == "");
      BOOST_TEST_REQUIRE(ran == submitted);
    } else {
      last.wait();
    }
  }
  BOOST_TEST(runtime.wait() == "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
