// Tests the graph with plain threads, for the thread sanitizer.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/support/graph_data.hpp"
#include "tests/support/thread_checks.hpp"
#include "tests/support/thread_host.hpp"

namespace troupe::graph {

BOOST_AUTO_TEST_SUITE(task_graph_threads)

namespace {

using tests::register_scalar;
using tests::submit;
using tests::ThreadHost;
using tests::try_submit;

const Codelet& add_one() {
  static const Codelet codelet = Codelet("add one", {AccessMode::read_write}).cpu([](std::int64_t& x) { ++x; });
  return codelet;
}

void run_all(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back(body, i);
  for (std::thread& thread : threads) thread.join();
}

BOOST_AUTO_TEST_CASE(several_submitters_share_a_tiny_window) {
  tests::ThreadChecks checks;
  for (const std::size_t window : {1, 2, 3, 7}) {
    ThreadHost host({.workers = 3, .window = window});
    std::int64_t shared = 0;
    const Handle x = register_scalar(host.graph(), shared);
    run_all(4, [&](std::size_t) {
      std::int64_t own = 0;
      const Handle y = register_scalar(host.graph(), own);
      for (int i = 0; i < 200; ++i) {
        submit(host.graph(), add_one(), {x});
        submit(host.graph(), add_one(), {y});
      }
      host.graph().release(y).value_or_throw();
      checks.expect(own == 200);
    });
    BOOST_TEST(host.graph().wait_all().ok());
    BOOST_TEST(shared == 800);
  }
}

BOOST_AUTO_TEST_CASE(threads_wait_for_futures_whose_memory_is_used_again) {
  tests::ThreadChecks checks;
  ThreadHost host({.workers = 2, .window = 64});
  run_all(3, [&](std::size_t) {
    std::int64_t own = 0;
    const Handle x = register_scalar(host.graph(), own);
    std::vector<Future> futures;
    for (int i = 0; i < 500; ++i) {
      futures.push_back(submit(host.graph(), add_one(), {x}));
      if (i % 7 == 0) {
        futures[static_cast<std::size_t>(i / 2)].wait();
        futures.back().wait();
      }
    }
    for (const Future& future : futures) {
      future.wait();
      checks.expect(future.status() == TaskStatus::succeeded);
    }
    checks.expect(own == 500);
    host.graph().release(x).value_or_throw();
  });
}

BOOST_AUTO_TEST_CASE(threads_and_tasks_take_turns_with_data) {
  ThreadHost host({.workers = 2});
  std::int64_t value = 0;
  const Handle x = register_scalar(host.graph(), value);
  run_all(3, [&](std::size_t) {
    for (int i = 0; i < 100; ++i) {
      submit(host.graph(), add_one(), {x});
      Task* const hold = host.graph().acquire(x, AccessMode::read_write).value();
      ++value;
      host.graph().give_back(hold);
    }
  });
  BOOST_TEST(host.graph().wait_all().ok());
  BOOST_TEST(value == 600);
}

BOOST_AUTO_TEST_CASE(handles_are_registered_divided_and_released_while_others_work) {
  ThreadHost host({.workers = 3});
  std::vector<std::int64_t> shared(8, 0);
  const Handle whole = tests::register_matrix(host.graph(), shared, 8, 1);
  const Codelet add_all = Codelet("add all", {AccessMode::commute}).cpu([](VectorView<std::int64_t> v) {
    for (std::int64_t& x : v) ++x;
  });
  run_all(4, [&](std::size_t thread) {
    for (int i = 0; i < 60; ++i) {
      submit(host.graph(), add_all, {whole});
      if (i % 10 == 0) {
        const std::vector<Block> block{{static_cast<std::int64_t>(2 * thread), 0, 2, 1}};
        const auto parts = host.graph().partition(whole, block).value();
        for (int k = 0; k < 5; ++k) submit(host.graph(), add_all, {parts[0]});
        host.graph().release(parts[0]).value_or_throw();
      }
    }
  });
  BOOST_TEST(host.graph().wait_all().ok());
  for (const std::int64_t x : shared) BOOST_TEST(x == 4 * 60 + 6 * 5);
}

BOOST_AUTO_TEST_CASE(reductions_are_exact_whoever_submits_and_looks) {
  ThreadHost host({.workers = 4});
  std::int64_t sum = 0;
  const Handle x = register_scalar(host.graph(), sum);
  host.graph().set_reduction(x, sum_reduction<std::int64_t>()).value_or_throw();
  const Codelet add = Codelet("add", {AccessMode::reduce}).cpu([](std::int64_t& x) { ++x; });
  run_all(3, [&](std::size_t) {
    for (int i = 0; i < 300; ++i) {
      submit(host.graph(), add, {x});
      if (i % 20 == 0) host.graph().give_back(host.graph().acquire(x, AccessMode::read).value());
      if (i % 50 == 0) host.graph().set_reduction(x, sum_reduction<std::int64_t>()).value_or_throw();
    }
  });
  BOOST_TEST(host.graph().wait_all().ok());
  BOOST_TEST(sum == 900);
}

BOOST_AUTO_TEST_CASE(tasks_submit_trees_of_tasks_beyond_the_window) {
  ThreadHost host({.workers = 3, .window = 2});
  std::atomic<int> leaves{0};
  Codelet node = Codelet("node", {});
  node.cpu([&](const KernelContext& context) {
    const int depth = context.argument<int>(0);
    if (depth == 0) {
      ++leaves;
      return;
    }
    for (int i = 0; i < 2; ++i) submit(host.graph(), node, {}, args(depth - 1));
  });
  submit(host.graph(), node, {}, args(10));
  BOOST_TEST(host.graph().wait_all().ok());
  BOOST_TEST(leaves.load() == 1024);
}

BOOST_AUTO_TEST_CASE(failures_and_cancellations_from_all_sides_are_all_reported) {
  tests::ThreadChecks checks;
  ThreadHost host({.workers = 3, .window = 100});
  const Codelet sometimes = Codelet("sometimes", {AccessMode::read_write}).cpu([](std::int64_t& x) {
    if (++x % 5 == 0) throw std::runtime_error("five");
  });
  const Codelet reset = Codelet("reset", {AccessMode::write}).cpu([](std::int64_t& x) { x = 1; });
  std::atomic<int> unsuccessful{0};
  run_all(3, [&](std::size_t thread) {
    std::int64_t own = 0;
    const Handle x = register_scalar(host.graph(), own);
    std::vector<Future> futures;
    for (int i = 0; i < 300; ++i) {
      futures.push_back(submit(host.graph(), i % 12 == 0 ? reset : sometimes, {x}));
      if (i % 9 == 0) futures[static_cast<std::size_t>(i)].cancel();
      if (thread == 0 && i == 150) host.graph().cancel_all();
    }
    for (const Future& future : futures) {
      if (!host.graph().wait(future)) ++unsuccessful;
      checks.expect(future.done());
    }
    host.graph().release(x).value_or_throw();
  });
  const auto outcome = host.graph().wait_all();
  BOOST_TEST(!outcome.ok());
  BOOST_TEST(unsuccessful.load() > 0);
}

BOOST_AUTO_TEST_CASE(a_stop_wakes_submitters_that_wait_for_room) {
  tests::ThreadChecks checks;
  ThreadHost host({.workers = 1, .window = 1});
  std::atomic<bool> go{false};
  const Codelet waits = Codelet("waits", {}).cpu([&](const KernelContext&) {
    while (!go.load()) std::this_thread::yield();
  });
  submit(host.graph(), waits, {});
  std::thread submitter([&] {
    const auto outcome = try_submit(host.graph(), waits, {});
    checks.expect(outcome.failure().code == ErrorCode::stopped);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  host.graph().stop_submissions().value_or_throw();
  submitter.join();
  go = true;
  BOOST_TEST(host.graph().wait_all().ok());
}

BOOST_AUTO_TEST_CASE(several_threads_wait_for_everything_at_the_same_time) {
  tests::ThreadChecks checks;
  ThreadHost host({.workers = 2});
  std::atomic<int> ran{0};
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
  run_all(4, [&](std::size_t) {
    for (int round = 0; round < 30; ++round) {
      for (int i = 0; i < 10; ++i) submit(host.graph(), count, {});
      checks.expect(host.graph().wait_all().ok());
    }
  });
  BOOST_TEST(ran.load() == 1200);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
