/// Tests of whole runs in one thread. A seed determines the order of all events.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "platform/machine/binding.hpp"
#include "proto/random.hpp"
#include "tests/actors/runtime_fixture.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(deterministic_runtime)

namespace {

using tests::TestRuntime;
namespace data = boost::unit_test::data;

RuntimeOptions deterministic(std::uint64_t seed, std::string policy = "lws", int workers = 4) {
  RuntimeOptions options;
  options.threads.deterministic = true;
  options.seed = seed;
  options.policy = std::move(policy);
  options.cores = workers;
  return options;
}

/// The tasks in the order in which they ran, each with its worker.
using Order = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

/// The outcome of a random program on a few numbers. The runtime runs the program; `expected` comes from a sequential
/// run.
struct Outcome {
  Order order;
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> expected;
};

Outcome run_program(TestRuntime& runtime, int tasks = 120) {
  Outcome outcome;
  outcome.values.assign(5, 1);
  outcome.expected = outcome.values;
  std::vector<Handle> handles;
  for (std::uint64_t& value : outcome.values) handles.push_back(runtime.scalar(value));
  const auto note = [&outcome](const KernelContext& context) {
    outcome.order.emplace_back(context.task.value(), context.worker.value());
  };
  const Codelet mix = Codelet("mix", {AccessMode::read, AccessMode::read_write}).cpu([&](const KernelContext& context) {
    note(context);
    auto& to = context.scalar<std::uint64_t>(1);
    to = to * 31 + context.scalar<const std::uint64_t>(0);
  });
  const Codelet set = Codelet("set", {AccessMode::read, AccessMode::write}).cpu([&](const KernelContext& context) {
    note(context);
    context.scalar<std::uint64_t>(1) = context.scalar<const std::uint64_t>(0) + 7;
  });
  const Codelet add = Codelet("add", {AccessMode::commute}).cpu([&](const KernelContext& context) {
    note(context);
    context.scalar<std::uint64_t>(0) += 3;
  });
  Random program(42);
  for (int i = 0; i < tasks; ++i) {
    const auto from = static_cast<std::size_t>(program.below(5));
    const std::size_t to = (from + 1 + program.below(4)) % 5;
    const int priority = static_cast<int>(program.below(3));
    switch (program.below(4)) {
      case 0:
        runtime.submit(set, {handles[from], handles[to]}, {.priority = priority});
        outcome.expected[to] = outcome.expected[from] + 7;
        break;
      case 1:
        runtime.submit(add, {handles[to]}, {.priority = priority});
        outcome.expected[to] += 3;
        break;
      default:
        runtime.submit(mix, {handles[from], handles[to]}, {.priority = priority});
        outcome.expected[to] = outcome.expected[to] * 31 + outcome.expected[from];
    }
  }
  BOOST_TEST(runtime.wait() == "");
  return outcome;
}

const std::vector<std::string> kPolicies{"lws", "ws", "eager"};

BOOST_DATA_TEST_CASE(the_same_seed_gives_the_same_order, data::make(kPolicies), policy) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TestRuntime first(deterministic(seed, policy));
    TestRuntime second(deterministic(seed, policy));
    const Outcome a = run_program(first);
    const Outcome b = run_program(second);
    BOOST_TEST_REQUIRE(a.order.size() == 120U);
    BOOST_TEST((a.order == b.order));
  }
}

BOOST_AUTO_TEST_CASE(the_order_does_not_depend_on_the_core_that_the_program_is_on) {
  const int cores = TestRuntime(deterministic(1))->topology().machine.this_system ? 2 : 1;
  std::vector<Order> orders;
  for (int pu = 0; pu < cores; ++pu) {
    std::thread([&] {
      if (!platform::bind_this_thread(pu)) return;
      for (int seed = 1; seed <= 5; ++seed) {
        TestRuntime runtime(deterministic(static_cast<std::uint64_t>(seed)));
        orders.push_back(run_program(runtime).order);
      }
    }).join();
  }
  if (orders.size() < 10) {
    tests::skip("needs two cores that this process may be bound to");
    return;
  }
  for (std::size_t i = 0; i < 5; ++i) BOOST_TEST((orders[i] == orders[i + 5]));
}

BOOST_DATA_TEST_CASE(hundreds_of_seeds_give_many_orders_and_one_result, data::make(kPolicies), policy) {
  std::set<Order> orders;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      TestRuntime runtime(deterministic(seed, policy, 1 + static_cast<int>(seed % 6)));
      const Outcome outcome = run_program(runtime);
      BOOST_TEST_REQUIRE(outcome.order.size() == 120U);
      BOOST_TEST_REQUIRE((outcome.values == outcome.expected));
      orders.insert(outcome.order);
    }
  }
  BOOST_TEST_MESSAGE(policy << ": " << orders.size() << " different orders");
  // In a run with one worker, the seed has no effect on the order of tasks. Nearly all runs with several workers must
  // differ from one another.
  BOOST_TEST(orders.size() > 200U);
}

BOOST_AUTO_TEST_CASE(thefts_happen_and_are_messages) {
  std::uint64_t stolen = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TestRuntime runtime(deterministic(seed, "ws"));
    const Codelet leaf = Codelet("leaf", {}).cpu([](const KernelContext&) {});
    const Codelet root = Codelet("root", {}).cpu([&](const KernelContext&) {
      for (int i = 0; i < 50; ++i) runtime.submit(leaf);
    });
    runtime.submit(root);
    BOOST_TEST(runtime.wait() == "");
    for (const WorkerReport& worker : runtime->report().workers) stolen += worker.counts.stolen_tasks;
  }
  BOOST_TEST(stolen > 100U);
}

BOOST_AUTO_TEST_CASE(a_wait_that_can_never_end_is_an_error) {
  TestRuntime runtime(deterministic(1));
  int value = 0;
  const Handle handle = runtime.scalar(value);
  const Codelet touch = Codelet("touch", {AccessMode::read_write}).cpu([](int& x) { ++x; });
  graph::Task* hold = runtime->graph().acquire(handle, AccessMode::read_write).value_or_throw();
  const Future future = runtime.submit(touch, {handle});
  BOOST_TEST(runtime.wait().find("never end") != std::string::npos);
  const auto waited = runtime->graph().wait(future);
  BOOST_TEST_REQUIRE(!waited.ok());
  BOOST_TEST(waited.failure().message.find("never end") != std::string::npos);
  runtime->graph().give_back(hold);
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(value == 1);
}

BOOST_AUTO_TEST_CASE(a_small_window_pumps_instead_of_blocking) {
  for (const std::size_t window : {1U, 2U, 5U}) {
    RuntimeOptions options = deterministic(3);
    options.window = window;
    TestRuntime runtime(options);
    const Outcome outcome = run_program(runtime);
    BOOST_TEST((outcome.values == outcome.expected));
  }
}

BOOST_AUTO_TEST_CASE(failures_cancel_the_same_tasks_in_every_order) {
  std::set<std::string> messages;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    TestRuntime runtime(deterministic(seed));
    int value = 0;
    int other = 0;
    const Handle handle = runtime.scalar(value);
    const Handle unrelated = runtime.scalar(other);
    const Codelet good = Codelet("good", {AccessMode::read_write}).cpu([](int& x) { ++x; });
    const Codelet bad = Codelet("bad", {AccessMode::read_write}).cpu([](int&) { throw std::runtime_error("no luck"); });
    runtime.submit(good, {handle});
    runtime.submit(bad, {handle}, {.name = "the culprit"});
    runtime.submit(good, {handle});
    for (int i = 0; i < 10; ++i) runtime.submit(good, {unrelated});
    const std::string message = runtime.wait();
    BOOST_TEST_REQUIRE(message.find("the culprit") != std::string::npos);
    BOOST_TEST_REQUIRE(message.find("1 task failed, 1 task was cancelled") == 0U);
    BOOST_TEST_REQUIRE(value == 1);
    BOOST_TEST_REQUIRE(other == 10);
  }
}

/// Workers die at random moments. Every task still runs once.
BOOST_DATA_TEST_CASE(workers_that_die_lose_nothing, data::make(kPolicies), policy) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      TestRuntime runtime(deterministic(seed, policy));
      Random random(seed);
      std::vector<int> ran(150);
      std::vector<std::uint64_t> values(4);
      std::vector<Handle> handles;
      for (std::uint64_t& value : values) handles.push_back(runtime.scalar(value));
      std::vector<Codelet> codelets;
      for (int& count : ran) {
        codelets.push_back(Codelet("count", {AccessMode::commute}).cpu([&](const KernelContext& context) {
          ++count;
          ++context.scalar<std::uint64_t>(0);
          if (random.below(4) == 0) runtime->kill_worker(WorkerId(static_cast<std::uint32_t>(random.below(4))));
        }));
      }
      for (const Codelet& codelet : codelets) runtime.submit(codelet, {handles[random.below(4)]});
      BOOST_TEST_REQUIRE(runtime.wait() == "");
      for (const int count : ran) BOOST_TEST_REQUIRE(count == 1);
      BOOST_TEST_REQUIRE(values[0] + values[1] + values[2] + values[3] == 150U);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
