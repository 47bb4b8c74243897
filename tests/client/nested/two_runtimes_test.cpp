// Tests of kernels that wait for another runtime: their cores run other tasks meanwhile.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(two_runtimes)

/// Two runtimes with one worker each.
struct Pair {
  Runtime a{with_workers(1)};
  Runtime b{with_workers(1)};
};

/// Calls each other's runtime, `depth` calls deep. Returns the number of calls.
inline int ping_pong(Pair& pair, int depth, bool in_a) {
  if (depth == 0) return 0;
  Runtime& other = in_a ? pair.b : pair.a;
  int below = 0;
  other.submit([&pair, &below, depth, in_a] { below = ping_pong(pair, depth - 1, !in_a); }).wait();
  return below + 1;
}

/// Submits tasks to `to` whose kernels wait for a task of `from` each. Every kernel counts itself.
inline void submit_waiting(Runtime& to, Runtime& from, int tasks, std::atomic<int>& ran) {
  for (int i = 0; i < tasks; ++i) {
    to.submit([&] {
      from.submit([&] { ++ran; }).wait();
      ++ran;
    });
  }
}

// Without another thread on the first runtime's only core, `last` would never start.
BOOST_FIXTURE_TEST_CASE(kernels_may_wait_for_one_another, Pair) {
  std::vector<int> order;
  a.submit([&] {
    Future middle = b.submit([&] {
      Future last = a.submit([&] { order.push_back(3); });
      last.wait();
      order.push_back(2);
    });
    middle.wait();
    order.push_back(1);
  });
  a.wait();
  BOOST_TEST(order == std::vector({3, 2, 1}), boost::test_tools::per_element());
}

BOOST_FIXTURE_TEST_CASE(waits_may_be_deep, Pair) {
  int calls = 0;
  a.submit([&] { calls = ping_pong(*this, 40, true); });
  a.wait();
  BOOST_TEST(calls == 40);
}

BOOST_FIXTURE_TEST_CASE(a_kernel_may_wait_for_everything_in_another_runtime, Pair) {
  std::atomic<int> ran{0};
  a.submit([&] {
    submit_waiting(b, a, 10, ran);
    b.wait();
    BOOST_TEST(ran == 20);
  });
  a.wait();
  BOOST_TEST(ran == 20);
}

BOOST_FIXTURE_TEST_CASE(a_kernel_may_acquire_data_of_another_runtime, Pair) {
  double x = 1;
  const Scalar<double> data = b.scalar(x);
  double seen = 0;
  a.submit([&] {
    b.submit(
        [&](double& value) {
          a.submit([] {}).wait();
          value = 5;
        },
        data);
    const HostAccess access = b.acquire(data, AccessMode::read);
    seen = x;
  });
  a.wait();
  b.wait();
  BOOST_TEST(seen == 5);
}

BOOST_AUTO_TEST_CASE(a_kernel_may_wait_for_room_in_another_runtime) {
  RuntimeOptions small = with_workers(1);
  small.window = 8;
  Runtime a(with_workers(1));
  Runtime b(small);
  std::atomic<int> ran{0};
  a.submit([&] { submit_waiting(b, a, 100, ran); });
  a.wait();
  b.wait();
  BOOST_TEST(ran == 200);
}

BOOST_FIXTURE_TEST_CASE(failures_are_told_as_in_other_waits, Pair) {
  std::string told;
  a.submit([&] {
    Future failing = b.submit([&] {
      a.submit([] {}).wait();
      throw std::runtime_error("wanted");
    });
    try {
      failing.wait();
    } catch (const Error& error) {
      told = error.what();
    }
  });
  a.wait();
  BOOST_TEST(contains(told, "wanted"));
}

BOOST_FIXTURE_TEST_CASE(a_report_says_which_kernel_waits_for_another_runtime, Pair) {
  WhyReport waits;
  double value = 0;
  const Scalar<double> data = a.scalar(value);
  const Codelet waiting = Codelet("waiting", {AccessMode::read_write}).cpu([&](double&) {
    b.submit([&] {
       // Until the kernel below is suspended, it counts as running.
       const auto suspended = [&] {
         waits = a.why();
         return !waits.causes.empty() && waits.causes[0].kind == WhyKind::another_runtime;
       };
       for (int i = 0; i < 5000 && !suspended(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
     }).wait();
  });
  a.submit(waiting, {data});
  a.submit([](double&) {}, data);
  a.wait();
  BOOST_REQUIRE(!waits.causes.empty());
  BOOST_TEST(waits.counts.running == 1);
  BOOST_TEST(waits.causes[0].waiting == 1);
  BOOST_TEST(
      contains(waits.to_text(), "(codelet waiting), whose kernel on worker 0 has been waiting for another runtime"));
}

/// Kernels that commute keep their locks until they return, so their cores stay theirs. The wait works nevertheless.
BOOST_FIXTURE_TEST_CASE(kernels_that_others_wait_for_keep_their_cores, Pair) {
  double sum = 0;
  const Scalar<double> data = a.scalar(sum);
  for (int i = 0; i < 20; ++i) {
    a.submit(
        [this](double& value) {
          const double before = value;
          b.submit([] {}).wait();
          value = before + 1;
        },
        commute(data));
  }
  a.wait();
  BOOST_TEST(sum == 20);
}

/// A task whose callback runs has ended, so its worker cannot go on.
BOOST_FIXTURE_TEST_CASE(callbacks_may_wait_for_another_runtime, Pair) {
  std::atomic<int> called{0};
  TaskOptions options;
  options.callback = [&](const TaskOutcome&) {
    b.submit([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }).wait();
    ++called;
  };
  const Codelet nothing = Codelet("nothing", {}).cpu([](const KernelContext&) {});
  for (int i = 0; i < 10; ++i) {
    a.submit(nothing, {}, {}, options);
    a.submit([] {});
  }
  a.wait();
  BOOST_TEST(called == 10);
}

BOOST_FIXTURE_TEST_CASE(many_threads_and_many_kernels, Pair) {
  std::atomic<int> calls{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int j = 0; j < 50; ++j) {
        Runtime& first = (i + j) % 2 == 0 ? a : b;
        first.submit([&, in_a = &first == &a] { calls += ping_pong(*this, 3, in_a); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  a.wait();
  b.wait();
  a.wait();
  BOOST_TEST(calls == 600);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
