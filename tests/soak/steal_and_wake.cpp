/// Searches for lost wake-ups and lost tasks: submits single tasks at the moment when workers fall asleep, tries
/// message orders of thousands of seeds, and lets workers die.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "actors/running/runtime_system.hpp"
#include "proto/random.hpp"
#include "proto/spin_lock.hpp"
#include "tests/soak/arguments.hpp"
#include "troupe/codelet.hpp"

namespace troupe::actors {
namespace {

using Clock = std::chrono::steady_clock;
const std::vector<std::string> kPolicies{"lws", "ws", "eager"};

void submit(RuntimeSystem& runtime, const Codelet& codelet, const std::vector<Access>& accesses = {}) {
  runtime.graph().submit({codelet, accesses, {}, {}}).value_or_throw();
}

/// Runs one task after the other. Each task is submitted a random time after the previous task has run. This time is
/// about as long as an idle worker looks for work before it sleeps.
void ping_pong(const std::string& policy, int workers, std::chrono::nanoseconds spin, std::uint64_t rounds) {
  RuntimeOptions options;
  options.cores = workers;
  options.threads.oversubscribe = true;
  options.policy = policy;
  options.threads.spin = spin;
  auto runtime = RuntimeSystem::start(options).value_or_throw();
  std::atomic<std::uint64_t> ran{0};
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ran.fetch_add(1); });
  Random random(rounds);
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    submit(*runtime, count);
    while (ran.load() < round) std::this_thread::yield();
    const auto until =
        Clock::now() + std::chrono::nanoseconds(random.below(static_cast<std::uint32_t>(2 * spin.count())));
    while (Clock::now() < until) SpinLock::pause();
  }
  BOOST_TEST(runtime->graph().wait_all().ok());
  BOOST_TEST(runtime->report().ended == rounds);
}

/// Lets the ends of tasks make further tasks ready. Each task has several successors, so other workers have to be woken
/// for some of them.
void fan_out(const std::string& policy, int workers, std::uint64_t rounds) {
  RuntimeOptions options;
  options.cores = workers;
  options.threads.oversubscribe = true;
  options.policy = policy;
  options.threads.spin = std::chrono::microseconds(2);
  auto runtime = RuntimeSystem::start(options).value_or_throw();
  std::int64_t value = 0;
  const Handle handle = runtime->graph().register_data(
      {layout_of<std::int64_t>(1, 1, 1), reinterpret_cast<std::byte*>(&value), nullptr, {}});
  std::atomic<std::uint64_t> looked{0};
  const Codelet write = Codelet("write", {AccessMode::read_write}).cpu([](std::int64_t& x) { ++x; });
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([&](const std::int64_t&) {
    looked.fetch_add(1);
    for (int i = 0; i < 50; ++i) SpinLock::pause();
  });
  for (std::uint64_t round = 0; round < rounds; ++round) {
    submit(*runtime, write, {handle});
    for (std::uint64_t i = 0; i <= round % 5; ++i) submit(*runtime, look, {handle});
    if (round % 64 == 0) BOOST_TEST_REQUIRE(runtime->graph().wait_all().ok());
  }
  BOOST_TEST(runtime->graph().wait_all().ok());
  BOOST_TEST(value == static_cast<std::int64_t>(rounds));
}

BOOST_AUTO_TEST_SUITE(steal_and_wake)

BOOST_AUTO_TEST_CASE(a_hundred_thousand_single_tasks) {
  const tests::Alarm alarm(std::chrono::minutes(30));
  for (const std::string& policy : kPolicies) {
    ping_pong(policy, 2, std::chrono::microseconds(2), 100'000);
    ping_pong(policy, 1, std::chrono::microseconds(5), 20'000);
    ping_pong(policy, 16, std::chrono::microseconds(5), 20'000);
  }
}

BOOST_AUTO_TEST_CASE(fans_of_ready_tasks) {
  const tests::Alarm alarm(std::chrono::minutes(30));
  for (const std::string& policy : kPolicies) {
    fan_out(policy, 2, 50'000);
    fan_out(policy, 16, 10'000);
  }
}

/// Everything runs in a single thread. So a hang is reported at once as an error, and its seed reproduces it.
BOOST_AUTO_TEST_CASE(thousands_of_message_orders_with_deaths) {
  for (std::uint64_t seed = 1; seed <= tests::seeds(2000); ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      Random random(seed);
      RuntimeOptions options;
      options.threads.deterministic = true;
      options.seed = seed;
      options.policy = kPolicies[random.below(3)];
      options.cores = static_cast<int>(1 + random.below(8));
      options.window = random.below(2) == 0 ? 1 + random.below(20) : 1000;
      const std::uint64_t deadliness = 2 + random.below(30);
      auto runtime = RuntimeSystem::start(options).value_or_throw();
      std::vector<std::uint64_t> values(1 + random.below(4));
      std::vector<Handle> handles;
      for (std::uint64_t& value : values) {
        handles.push_back(runtime->graph().register_data(
            {layout_of<std::uint64_t>(1, 1, 1), reinterpret_cast<std::byte*>(&value), nullptr, {}}));
      }
      const auto perhaps_kill = [&] {
        if (random.below(static_cast<std::uint32_t>(deadliness)) != 0) return;
        runtime->kill_worker(
            WorkerId(static_cast<std::uint32_t>(random.below(static_cast<std::uint32_t>(options.cores)))));
      };
      const Codelet commute = Codelet("commute", {AccessMode::commute}).cpu([&](std::uint64_t& x) {
        ++x;
        perhaps_kill();
      });
      const Codelet modify = Codelet("modify", {AccessMode::read_write}).cpu([&](std::uint64_t& x) {
        ++x;
        perhaps_kill();
      });
      const std::uint64_t tasks = 20 + random.below(150);
      for (std::uint64_t i = 0; i < tasks; ++i) {
        const Handle handle = handles[random.below(static_cast<std::uint32_t>(handles.size()))];
        submit(*runtime, random.below(2) == 0 ? commute : modify, {handle});
        perhaps_kill();
      }
      const Result<void> outcome = runtime->graph().wait_all();
      BOOST_TEST_REQUIRE(outcome.ok());
      std::uint64_t sum = 0;
      for (const std::uint64_t value : values) sum += value;
      BOOST_TEST_REQUIRE(sum == tasks);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::actors
