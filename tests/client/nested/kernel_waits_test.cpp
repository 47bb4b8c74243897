// Tests of kernels that wait for tasks of their own nested task.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/nested/nested_support.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(kernel_waits)

namespace {

/// Computes Fibonacci numbers, with a task for each number and two variables of the kernel for its two children.
struct Fibonacci {
  Runtime& runtime;
  std::atomic<int> tasks{0};

  void compute(int n, long& result) {
    ++tasks;
    if (n < 2) {
      result = n;
      return;
    }
    long a = 0;
    long b = 0;
    const Scalar<long> first = runtime.scalar(a);
    const Scalar<long> second = runtime.scalar(b);
    submit(n - 1, first);
    submit(n - 2, second);
    runtime.wait();
    result = a + b;
  }
  void submit(int n, const Scalar<long>& result) {
    runtime.submit([this](long& value, int m) { compute(m, value); }, write(result), n);
  }
  long operator()(int n) {
    long result = 0;
    const Scalar<long> data = runtime.scalar(result);
    runtime.submit(
        nested("fibonacci"), [this](long& value, int m) { compute(m, value); }, write(data), n);
    runtime.wait();
    return result;
  }
};

/// Submits a nested task that runs `kernel`, and waits for it.
void run_nested(Runtime& runtime, const std::function<void()>& kernel) {
  runtime.submit(nested("outer"), [&kernel] { kernel(); }).wait();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_kernel_waits_for_its_children_and_uses_their_results) {
  for (const int workers : {1, 2, 4}) {
    Runtime runtime(with_workers(workers));
    Fibonacci fibonacci{runtime};
    BOOST_TEST(fibonacci(16) == 987);
    BOOST_TEST(fibonacci.tasks == 3193);
  }
}

BOOST_AUTO_TEST_CASE(kernels_wait_under_every_policy) {
  for (const char* policy : {"lws", "ws", "eager", "heft", "mct", "dada", "homeward"}) {
    BOOST_TEST_CONTEXT(policy) {
      RuntimeOptions options = with_workers(3);
      options.policy = policy;
      Runtime runtime(options);
      Fibonacci fibonacci{runtime};
      BOOST_TEST(fibonacci(10) == 55);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_kernel_waits_for_one_child_by_its_future) {
  Runtime runtime(with_workers(2));
  run_nested(runtime, [&] {
    double value = 0;
    const Scalar<double> data = runtime.scalar(value);
    const Future first = runtime.submit([](double& x) { x = 1; }, data);
    const Future second = runtime.submit([](double& x) { x += 1; }, data);
    first.wait();
    BOOST_TEST(value >= 1);
    second.wait();
    BOOST_TEST(value == 2);
    BOOST_TEST((second.status() == TaskStatus::succeeded));
  });
}

BOOST_AUTO_TEST_CASE(a_kernel_acquires_what_its_children_have_written) {
  Runtime runtime(with_workers(2));
  std::vector<double> x(8, 1.0);
  const Vector<double> hx = runtime.vector(x, "x");
  runtime
      .submit(
          nested(),
          [&](VectorView<double>) {
            const Vector<double> sums = runtime.allocate_vector<double>(2, "sums");
            runtime.submit([](VectorView<double> s) { std::ranges::fill(s, 3.0); }, write(sums));
            runtime.submit([](VectorView<double> v) { v[0] = 5; }, hx);
            {
              const HostAccess access = runtime.acquire(sums, AccessMode::read_write);
              VectorView<double> values = access.vector<double>();
              BOOST_TEST(values[1] == 3);
              values[1] = 4;
            }
            runtime.submit([](VectorView<const double> s, VectorView<double> v) { v[1] = s[1]; }, sums, hx);
            runtime.wait(hx);
            BOOST_TEST(x[0] == 5);
            BOOST_TEST(x[1] == 4);
          },
          hx)
      .wait();
}

BOOST_AUTO_TEST_CASE(another_thread_takes_the_core_when_what_is_waited_for_depends_on_other_tasks) {
  Runtime runtime(with_workers(1));
  std::array<double, 2> x{};
  const Vector<double> whole = runtime.vector(x, "x");
  std::atomic<bool> started{false};
  TaskOptions weak = nested("outer");
  weak.weak = {read_write(whole)};
  weak.priority = 2;
  // The nested task begins first. Its child waits for a task that was submitted before and has not begun.
  const auto hold = std::make_unique<HostAccess>(runtime.acquire(whole, AccessMode::write));
  runtime.submit([](VectorView<double> v) { v[0] = 1; }, whole);
  const Future outer = runtime.submit(weak, [&] {
    double seen = 0;
    const Scalar<double> result = runtime.scalar(seen);
    runtime.submit([](VectorView<const double> v, double& out) { out = v[0]; }, read(whole), write(result));
    started = true;
    started.notify_all();
    runtime.wait();
    BOOST_TEST(seen == 1);
  });
  started.wait(false);
  hold->give_back();
  outer.wait();
}

BOOST_AUTO_TEST_CASE(kernels_wait_in_each_other_deeper_than_the_stack) {
  Runtime runtime(with_workers(2));
  constexpr int kDepth = 20000;
  int deepest = 0;
  std::function<void(int)> descend = [&](int depth) {
    deepest = depth;
    if (depth == kDepth) return;
    std::array<volatile char, 512> some_stack{};
    some_stack[0] = 1;
    runtime.submit([&descend](int next) { descend(next); }, depth + 1).wait();
  };
  run_nested(runtime, [&] { descend(0); });
  BOOST_TEST(deepest == kDepth);
}

BOOST_AUTO_TEST_CASE(other_tasks_run_while_a_kernel_waits_for_a_long_child) {
  Runtime runtime(with_workers(2));
  std::atomic<bool> go_on{false};
  std::atomic<bool> begun{false};
  const Future outer = runtime.submit(nested("outer"), [&] {
    runtime.submit([&] {
      begun = true;
      begun.notify_all();
      go_on.wait(false);
    });
    // The child runs on the other worker.
    begun.wait(false);
    runtime.wait();
  });
  begun.wait(false);
  // One worker runs the child, and the other one's kernel waits for it.
  for (int i = 0; i < 100; ++i) runtime.submit([] {}).wait();
  BOOST_TEST((outer.status() == TaskStatus::pending));
  go_on = true;
  go_on.notify_all();
  outer.wait();
}

BOOST_AUTO_TEST_CASE(others_take_what_a_child_on_top_of_a_kernel_makes_ready) {
  Runtime runtime(with_workers(2));
  for (int i = 0; i < 50; ++i) {
    std::atomic<bool> done{false};
    run_nested(runtime, [&] {
      const Scalar<double> data = runtime.allocate_scalar<double>();
      const Future first = runtime.submit([](double& x) { x = 1; }, write(data));
      runtime.submit(
          [&done](double& x) {
            x += 1;
            done = true;
          },
          data);
      first.wait();
      // The kernel goes on, and does not wait in the runtime for the second child.
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (!done && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      BOOST_TEST_REQUIRE(done.load());
    });
  }
}

BOOST_AUTO_TEST_CASE(a_trace_tells_how_long_a_kernel_has_waited) {
  RuntimeOptions options = with_workers(1);
  options.trace = true;
  Runtime runtime(options);
  run_nested(runtime, [&] {
    runtime.submit(named("child", [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }));
    runtime.wait();
  });
  const Trace trace = runtime.take_trace();
  BOOST_TEST_REQUIRE(trace.events.size() == 2U);
  const TraceEvent& parent = trace.events.front();
  const TraceEvent& child = trace.events.back();
  BOOST_TEST((child.nesting.waited == Duration{}));
  BOOST_TEST((parent.nesting.waited >= child.duration()));
  BOOST_TEST((parent.start <= child.start && child.end <= parent.end));
  BOOST_TEST((parent.duration() < parent.nesting.waited));
}

BOOST_AUTO_TEST_CASE(a_wait_throws_what_a_child_failed_with) {
  Runtime runtime(with_workers(2));
  std::string caught;
  const Future outer = runtime.submit(nested("outer"), [&] {
    runtime.submit([] { throw std::runtime_error("no more sugar"); });
    try {
      runtime.wait();
    } catch (const Error& error) {
      caught = error.what();
    }
  });
  BOOST_CHECK_THROW(outer.wait(), Error);
  BOOST_TEST(caught.find("no more sugar") != std::string::npos);
  runtime.submit([] {}).wait();
}

BOOST_AUTO_TEST_CASE(waits_that_might_never_end_are_refused) {
  Runtime runtime(with_workers(2));
  std::atomic<bool> go_on{false};
  const Future other = runtime.submit([&] { go_on.wait(false); });
  double value = 0;
  const Scalar<double> data = runtime.scalar(value, "value");
  run_nested(runtime, [&] {
    BOOST_CHECK_EXCEPTION(other.wait(), Error, failure(ErrorCode::wait_in_kernel, "does not belong to it"));
    BOOST_CHECK_EXCEPTION((void)runtime.acquire(data, AccessMode::read), Error,
                          failure(ErrorCode::invalid_argument, "'value'", "declare"));
    const Vector<double> own = runtime.allocate_vector<double>(1, "own");
    runtime.submit([](VectorView<double> x) { x[0] = 1; }, write(own));
    const HostAccess held = runtime.acquire(own, AccessMode::read);
    BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::invalid_argument, "never end", "acquired"));
    BOOST_CHECK_EXCEPTION((void)runtime.acquire(own, AccessMode::write), Error,
                          failure(ErrorCode::invalid_argument, "never end"));
    const Future writer = runtime.submit([](VectorView<double> x) { x[0] = 2; }, write(own));
    BOOST_CHECK_EXCEPTION(writer.wait(), Error, failure(ErrorCode::invalid_argument, "never end"));
  });
  go_on = true;
  go_on.notify_all();
  runtime
      .submit([&] {
        BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::wait_in_kernel, "TaskOptions::nested"));
      })
      .wait();
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(a_run_in_one_thread_runs_children_on_top_and_refuses_other_waits) {
  RuntimeOptions options = with_workers(2);
  options.threads.deterministic = true;
  Runtime runtime(options);
  Fibonacci fibonacci{runtime};
  BOOST_TEST(fibonacci(10) == 55);
  std::array<double, 2> x{};
  const Vector<double> whole = runtime.vector(x, "x");
  TaskOptions weak = nested("outer");
  weak.weak = {read_write(whole)};
  weak.priority = 2;
  bool refused = false;
  runtime.submit([](VectorView<double> v) { v[0] = 1; }, whole);
  const Future outer = runtime.submit(weak, [&] {
    const Future child = runtime.submit([](VectorView<double> v) { v[0] = 2; }, whole);
    try {
      child.wait();
    } catch (const Error& error) {
      refused = error.code() == ErrorCode::wait_in_kernel;
    }
  });
  outer.wait();
  BOOST_TEST((refused || x[0] == 2));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
