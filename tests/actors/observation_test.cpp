/// Tests metrics, `why` and the watchdog of a whole runtime in cases that need special policies or dying workers.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "actors/observation/mailbox_record.hpp"
#include "tests/actors/runtime_fixture.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(observation)

namespace {

using namespace std::chrono_literals;
using tests::TestRuntime;
using tests::workers;

bool says(const WhyReport& report, const std::string& part) {
  const bool found = report.to_text().find(part) != std::string::npos;
  if (!found) BOOST_TEST_MESSAGE("missing: " << part << "\n" << report.to_text());
  return found;
}

void wait_until(const std::atomic<int>& count, int at_least) {
  while (count < at_least) std::this_thread::sleep_for(200us);
}

/// A policy that places every task on worker 0.
class AllOnOne final : public scheduler::PlacingPolicy {
 public:
  [[nodiscard]] scheduler::PolicyTraits policy_traits() const override { return {.uses_times = false}; }
  void place(std::span<const scheduler::ReadyTask>, const scheduler::Snapshot&, Random&,
             std::span<WorkerId> placement) override {
    for (WorkerId& worker : placement) worker = WorkerId(0);
  }
};

/// A policy that waits in its first decision until the test sets `let_go`.
class Undecided final : public scheduler::PlacingPolicy {
 public:
  Undecided(std::atomic<int>& asked, std::atomic<bool>& let_go) : asked_(asked), let_go_(let_go) {}
  [[nodiscard]] scheduler::PolicyTraits policy_traits() const override { return {.uses_times = false}; }
  void place(std::span<const scheduler::ReadyTask>, const scheduler::Snapshot&, Random&,
             std::span<WorkerId> placement) override {
    ++asked_;
    while (!let_go_) std::this_thread::sleep_for(200us);
    for (WorkerId& worker : placement) worker = WorkerId(0);
  }

 private:
  std::atomic<int>& asked_;
  std::atomic<bool>& let_go_;
};

enum class Fault { throws, throws_sometimes, names_nobody, throws_in_rounds };

class Faulty final : public scheduler::PlacingPolicy {
 public:
  explicit Faulty(Fault fault) : fault_(fault) {}
  [[nodiscard]] scheduler::PolicyTraits policy_traits() const override {
    return {.in_rounds = fault_ == Fault::throws_in_rounds, .uses_times = false};
  }
  void place(std::span<const scheduler::ReadyTask>, const scheduler::Snapshot& snapshot, Random&,
             std::span<WorkerId> placement) override {
    const bool fails = fault_ != Fault::throws_sometimes || calls_++ % 2 == 0;
    if (fails && fault_ == Fault::names_nobody) return;
    if (fails) throw std::runtime_error("no idea");
    for (WorkerId& worker : placement) worker = snapshot.workers[0].id;
  }

 private:
  Fault fault_;
  int calls_ = 0;
};

/// Collects the watchdog's reports.
struct Sink {
  std::function<void(const WhyReport&)> function() {
    return [this](const WhyReport& report) {
      const std::lock_guard lock(mutex);
      reports.push_back(report);
      ++count;
    };
  }
  WhyReport first() {
    const std::lock_guard lock(mutex);
    return reports.at(0);
  }
  std::mutex mutex;
  std::vector<WhyReport> reports;
  std::atomic<int> count{0};
};

BOOST_AUTO_TEST_CASE(a_policy_that_places_all_on_one_busy_worker_is_seen_through) {
  std::atomic<int> arrived{0};
  std::atomic<bool> open{false};
  TestRuntime runtime(workers(2), std::make_unique<AllOnOne>());
  const Codelet blocked = Codelet("blocked", {}).cpu([&](const KernelContext&) {
    ++arrived;
    while (!open) std::this_thread::sleep_for(200us);
  });
  runtime.submit(blocked);
  wait_until(arrived, 1);
  for (int i = 0; i < 4; ++i) runtime.submit(Codelet("empty", {}).cpu([](const KernelContext&) {}));
  WhyReport report = runtime->why();
  for (int i = 0; i < 5000 && (report.workers[0].queued < 4 || !says(report, "is asleep")); ++i) {
    std::this_thread::sleep_for(1ms);
    report = runtime->why();
  }
  open = true;
  BOOST_TEST(says(report, "4 tasks that are ready, but not started: 4 in the deque of worker 0"));
  BOOST_TEST(says(report, "worker 0 (cpu core "));
  BOOST_TEST(says(report, "(codelet blocked) for "));
  BOOST_TEST(says(report, "is asleep"));
  BOOST_TEST(runtime.wait() == "");
}

BOOST_AUTO_TEST_CASE(a_policy_that_does_not_decide_is_named) {
  std::atomic<int> asked{0};
  std::atomic<bool> let_go{false};
  TestRuntime runtime(workers(2), std::make_unique<Undecided>(asked, let_go));
  const Codelet empty = Codelet("empty", {}).cpu([](const KernelContext&) {});
  for (int i = 0; i < 3; ++i) runtime.submit(empty);
  wait_until(asked, 1);
  const WhyReport report = runtime->why();
  let_go = true;
  BOOST_TEST(says(report, "3 tasks that are ready, but that the policy 'custom' has not placed on a worker"));
  BOOST_TEST(report.counts.undecided == 3U);
  BOOST_TEST(report.to_json().find("\"undecided\"") != std::string::npos);
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(runtime->why().counts.undecided == 0U);
}

BOOST_AUTO_TEST_CASE(a_policy_that_fails_loses_no_task_and_is_reported) {
  for (const Fault fault : {Fault::throws, Fault::throws_sometimes, Fault::names_nobody, Fault::throws_in_rounds}) {
    TestRuntime runtime(workers(3), std::make_unique<Faulty>(fault));
    std::int64_t sum = 0;
    const Handle handle = runtime.scalar(sum);
    const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](std::int64_t& x) { ++x; });
    for (int i = 0; i < 200; ++i) runtime.submit(add, {handle});
    const std::string message = runtime.wait();
    BOOST_TEST(sum == 200);
    BOOST_TEST(message.find("policy 'custom'") != std::string::npos);
    const char* cause = fault == Fault::names_nobody ? "named a worker that is not there" : "threw: no idea";
    BOOST_TEST(message.find(cause) != std::string::npos, message);
  }
}

BOOST_AUTO_TEST_CASE(a_scheduler_whose_actor_dies_loses_no_task_and_is_reported_and_replaced) {
  TestRuntime runtime(workers(3), std::make_unique<AllOnOne>());
  std::atomic<int> ran{0};
  std::int64_t sum = 0;
  const Handle handle = runtime.scalar(sum);
  const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](std::int64_t& x) { ++x; });
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 100; ++i) {
      if (i % 20 == 10) runtime->kill_scheduler();
      runtime.submit(add, {handle});
      runtime.submit(count);
    }
  }
  const std::string message = runtime.wait();
  BOOST_TEST(message.find("policy 'custom' lost its scheduler, whose actor died: ") != std::string::npos, message);
  BOOST_TEST(sum == 5000);
  BOOST_TEST(ran == 5000);
  // The actor that replaced the dead actors places tasks as usual.
  runtime.submit(add, {handle});
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(sum == 5001);
  BOOST_TEST(!runtime->why().scheduler_died);
}

BOOST_AUTO_TEST_CASE(a_worker_whose_actor_was_told_to_die_is_still_seen_at_its_kernel) {
  std::atomic<int> arrived{0};
  std::atomic<bool> open{false};
  TestRuntime runtime(workers(1));
  std::int64_t x = 0;
  const Handle handle = runtime.scalar(x);
  const Codelet blocked = Codelet("blocked", {AccessMode::read_write}).cpu([&](std::int64_t&) {
    ++arrived;
    while (!open) std::this_thread::sleep_for(200us);
  });
  const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](std::int64_t& v) { ++v; });
  runtime.submit(blocked, {handle});
  runtime.submit(add, {handle});
  wait_until(arrived, 1);
  runtime->kill_worker(WorkerId(0));
  const WhyReport report = runtime->why();
  open = true;
  BOOST_TEST(says(report, "1 task waits, in the end, for task "));
  BOOST_TEST(says(report, "(codelet blocked), which has been running on worker 0"));
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(x == 1);
}

BOOST_AUTO_TEST_CASE(the_watchdog_tells_of_a_stall_and_of_nothing_else) {
  Sink sink;
  RuntimeOptions options = workers(2);
  options.observation.why_after = 500ms;
  options.observation.on_stall = sink.function();
  TestRuntime runtime(options);
  std::int64_t x = 0;
  const Handle handle = runtime.scalar(x);
  const Codelet slow =
      Codelet("slow", {AccessMode::read_write}).cpu([](std::int64_t&) { std::this_thread::sleep_for(10ms); });
  // The tasks are slow but steady. All together they take longer than the watchdog waits.
  for (int i = 0; i < 60; ++i) runtime.submit(slow, {handle});
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(sink.count == 0);
  std::atomic<bool> open{false};
  const Codelet blocked = Codelet("blocked", {AccessMode::read_write}).cpu([&](std::int64_t&) {
    while (!open) std::this_thread::sleep_for(200us);
  });
  runtime.submit(blocked, {handle});
  runtime.submit(slow, {handle});
  wait_until(sink.count, 1);
  open = true;
  BOOST_TEST(runtime.wait() == "");
  const int told = sink.count;
  BOOST_TEST(told < 4);
  BOOST_TEST((sink.first().quiet_for >= 500ms));
  BOOST_TEST(says(sink.first(), "Nothing has started or ended for "));
  BOOST_TEST(says(sink.first(), "1 task waits, in the end, for task "));
  // An idle runtime must not trigger the watchdog.
  std::this_thread::sleep_for(1200ms);
  BOOST_TEST(sink.count == told);
}

BOOST_AUTO_TEST_CASE(a_sink_that_throws_does_no_harm) {
  std::atomic<int> calls{0};
  RuntimeOptions options = workers(1);
  options.observation.why_after = 10ms;
  options.observation.on_stall = [&](const WhyReport&) {
    ++calls;
    throw std::runtime_error("broken");
  };
  TestRuntime runtime(options);
  const Codelet blocked = Codelet("blocked", {}).cpu([&](const KernelContext&) { wait_until(calls, 1); });
  runtime.submit(blocked);
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(calls >= 1);
}

BOOST_AUTO_TEST_CASE(runtimes_with_a_watchdog_start_and_stop) {
  for (int i = 0; i < 50; ++i) {
    RuntimeOptions options = workers(2);
    options.observation.why_after = 1ms;
    options.observation.on_stall = [](const WhyReport&) {};
    TestRuntime runtime(options);
    runtime.submit(Codelet("empty", {}).cpu([](const KernelContext&) {}));
  }
}

bool adds_up(const MailboxMetrics& metrics) {
  return metrics.received == metrics.processed + metrics.dropped + metrics.depth;
}

BOOST_AUTO_TEST_CASE(every_actor_has_figures_that_add_up_under_load) {
  TestRuntime runtime(workers(3), std::make_unique<AllOnOne>());
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::thread observer([&] {
    while (!done) {
      for (const MailboxMetrics& one : runtime->metrics().mailboxes) wrong += adds_up(one) ? 0 : 1;
    }
  });
  const Codelet empty = Codelet("empty", {}).cpu([](const KernelContext&) {});
  for (int i = 0; i < 5000; ++i) runtime.submit(empty);
  BOOST_TEST(runtime.wait() == "");
  done = true;
  observer.join();
  BOOST_TEST(wrong == 0);
  const MetricsSnapshot metrics = runtime->metrics();
  BOOST_TEST_REQUIRE(metrics.mailboxes.size() == 5U);
  BOOST_TEST(metrics.mailboxes[0].actor == "worker 0");
  BOOST_TEST(metrics.mailboxes[3].actor == "supervisor");
  BOOST_TEST(metrics.mailboxes[4].actor == "scheduler");
  // The scheduler received one message for each submission. The three workers told the supervisor that they had
  // started.
  BOOST_TEST(metrics.mailboxes[4].received == 5000U);
  BOOST_TEST(metrics.mailboxes[3].processed >= 3U);
  BOOST_TEST(metrics.mailboxes[0].processed >= 1U);
  for (const MailboxMetrics& one : metrics.mailboxes) {
    BOOST_TEST((one.waiting.p50 <= one.waiting.p99 && one.waiting.p99 <= one.waiting.max));
    BOOST_TEST(one.peak_depth >= one.depth);
  }
}

BOOST_AUTO_TEST_CASE(a_kernel_is_no_time_of_handling) {
  TestRuntime runtime(workers(1));
  runtime.submit(Codelet("long", {}).cpu([](const KernelContext&) { std::this_thread::sleep_for(500ms); }));
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST((runtime->metrics().mailboxes[0].handling.max < 400ms));
}

BOOST_AUTO_TEST_CASE(steal_requests_are_answered_at_delivery_and_counted) {
  TestRuntime runtime(workers(2, "ws"));
  std::atomic<int> ran{0};
  const Codelet leaf = Codelet("leaf", {}).cpu([&](const KernelContext&) { ++ran; });
  const Codelet root = Codelet("root", {}).cpu([&](const KernelContext&) {
    for (int i = 0; i < 200; ++i) runtime.submit(leaf);
    wait_until(ran, 200);
  });
  runtime.submit(root);
  BOOST_TEST(runtime.wait() == "");
  const MetricsSnapshot metrics = runtime->metrics();
  const std::uint64_t answered = metrics.mailboxes[0].answered_at_delivery + metrics.mailboxes[1].answered_at_delivery;
  BOOST_TEST(answered >= 1U);
  const std::uint64_t timed = metrics.mailboxes[0].answering.count + metrics.mailboxes[1].answering.count;
  BOOST_TEST(timed >= answered / troupe::observation::MailboxRecord::kTimedAnswers);
  BOOST_TEST(timed <= answered);
}

BOOST_AUTO_TEST_CASE(figures_of_a_worker_survive_its_actor) {
  TestRuntime runtime(workers(1));
  const Codelet empty = Codelet("empty", {}).cpu([](const KernelContext&) {});
  std::uint64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    runtime->kill_worker(WorkerId(0));
    runtime.submit(empty);
    BOOST_TEST(runtime.wait() == "");
    const MailboxMetrics metrics = runtime->metrics().mailboxes[0];
    BOOST_TEST(metrics.received > last);
    last = metrics.received;
    BOOST_TEST(adds_up(metrics));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
