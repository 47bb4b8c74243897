// Tests of coroutines that await tasks, values and one another.
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(coroutines)

namespace {

int twice_of(int n) { return 2 * n; }

Coroutine<long> fibonacci(Runtime& runtime, int n) {
  if (n < 2) co_return n;
  Started<long> first = runtime.start(fibonacci(runtime, n - 1));
  const long second = co_await fibonacci(runtime, n - 2);
  co_return second + co_await first;
}

Coroutine<int> steps(Runtime& runtime, Handle x, std::vector<std::thread::id>& threads) {
  threads.push_back(std::this_thread::get_id());
  const int a = co_await runtime.async(twice_of, 1);
  threads.push_back(std::this_thread::get_id());
  const Future doubled = runtime.submit(twice(), {x});
  co_await doubled;
  threads.push_back(std::this_thread::get_id());
  Value<int> b = runtime.async(twice_of, a);
  co_return co_await b;
}

Coroutine<> throws(Runtime& runtime) {
  co_await runtime.async([] { throw std::out_of_range("on purpose"); });
}

/// Counts the objects that exist.
struct Counted {
  explicit Counted(std::atomic<int>& counter) : count(&counter) { ++*count; }
  Counted(Counted&& other) noexcept : count(other.count) { ++*count; }
  Counted(const Counted&) = delete;
  ~Counted() { --*count; }
  std::atomic<int>* count;
};

Coroutine<int> keeps(Runtime& runtime, Counted /*kept*/) { co_return co_await runtime.async(twice_of, 3); }

}  // namespace

BOOST_AUTO_TEST_CASE(a_coroutine_goes_on_where_what_it_awaits_has_ended) {
  Runtime runtime(with_workers(2));
  double number = 4;
  const auto x = runtime.scalar(number);
  std::vector<std::thread::id> threads;
  Started<int> started = runtime.start(steps(runtime, x, threads));
  BOOST_TEST(started.valid());
  BOOST_TEST(started.get() == 4);
  BOOST_TEST(!started.valid());
  runtime.wait(x);
  BOOST_TEST(number == 8);
  BOOST_TEST(threads.size() == 3);
  for (const std::thread::id& thread : threads) BOOST_TEST((thread != std::this_thread::get_id()));
  BOOST_CHECK_EXCEPTION(started.get(), Error, failure(ErrorCode::invalid_argument, "empty"));
}

BOOST_AUTO_TEST_CASE(coroutines_await_one_another) {
  for (const int workers : {1, 3}) {
    Runtime runtime(with_workers(workers));
    BOOST_TEST(runtime.start(fibonacci(runtime, 15)).get() == 610);
  }
  Runtime runtime(deterministic());
  BOOST_TEST(runtime.start(fibonacci(runtime, 10)).get() == 55);
}

BOOST_AUTO_TEST_CASE(a_coroutine_that_waits_blocks_no_worker) {
  Runtime runtime(with_workers(1));
  std::vector<double> cells(100);
  Gate gate;
  const auto whole = runtime.vector(cells);
  runtime.submit(
      [&gate](VectorView<double> x) {
        gate.pass();
        for (double& cell : x) cell = 1;
      },
      whole);
  const auto waits = [](Runtime& own, Handle x) -> Coroutine<double> {
    double sum = 0;
    co_await own.submit([&sum](VectorView<const double> view) { sum = view[0] + view[99]; }, read(x));
    co_return sum;
  };
  std::vector<Started<double>> all;
  for (int i = 0; i < 1000; ++i) all.push_back(runtime.start(waits(runtime, whole)));
  gate.open();
  double sum = 0;
  for (auto& one : all) sum += one.get();
  BOOST_TEST(sum == 2000);
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(a_wait_for_everything_waits_for_coroutines) {
  Runtime runtime(with_workers(2));
  std::atomic<int> ended{0};
  const auto slow = [](Runtime& own, std::atomic<int>& count) -> Coroutine<> {
    for (int i = 0; i < 20; ++i) {
      co_await own.async([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
    }
    ++count;
  };
  for (int i = 0; i < 4; ++i) (void)runtime.start(slow(runtime, ended));
  runtime.wait();
  BOOST_TEST(ended == 4);
}

BOOST_AUTO_TEST_CASE(an_exception_reaches_who_awaits_the_coroutine) {
  Runtime runtime(with_workers(2));
  Started<> failed = runtime.start(throws(runtime));
  BOOST_CHECK_THROW(failed.get(), std::out_of_range);
  const auto outer = [](Runtime& own, std::string& message) -> Coroutine<> {
    try {
      co_await throws(own);
    } catch (const std::out_of_range& error) {
      message = error.what();
    }
    try {
      Started<> inner = own.start(throws(own));
      co_await inner;
    } catch (const std::out_of_range& error) {
      message += error.what();
    }
    try {
      co_await own.submit([] { throw std::runtime_error("too bad"); });
    } catch (const Error& error) {
      message += error.what();
    }
  };
  std::string message;
  runtime.start(outer(runtime, message)).get();
  BOOST_TEST(message.starts_with("on purposeon purpose"));
  BOOST_TEST(message.find("too bad") != std::string::npos);
  BOOST_CHECK_THROW(runtime.wait(), Error);
  runtime.wait();
  // Nobody asks for this one.
  (void)runtime.start([](Runtime&) -> Coroutine<> {
    throw std::runtime_error("not asked for");
    co_return;
  }(runtime));
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::kernel_failed, "a coroutine threw: not asked for"));
}

BOOST_AUTO_TEST_CASE(a_nested_task_fails_with_a_coroutine_that_its_kernel_has_started) {
  Runtime runtime(with_workers(2));
  double x = 1;
  const auto dx = runtime.scalar(x, "x");
  const auto throws = [](Runtime& own, bool later) -> Coroutine<> {
    if (later) {
      Value<int> one = own.async([] { return 1; });
      (void)co_await one;
    }
    throw std::runtime_error("on purpose");
  };
  for (const bool later : {false, true}) {
    const Future task = runtime.submit(
        {.nested = true}, [&](double&) { (void)runtime.start(throws(runtime, later)); }, dx);
    BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::kernel_failed, "a coroutine threw: on purpose"));
    BOOST_CHECK_THROW(runtime.wait(), Error);
  }
}

BOOST_AUTO_TEST_CASE(a_coroutine_is_told_that_it_cannot_use_the_data_of_a_nested_task) {
  Runtime runtime(with_workers(2));
  double x = 1;
  const auto dx = runtime.scalar(x, "x");
  const auto submits = [](Runtime& own, Handle data) -> Coroutine<> {
    own.submit([](double& value) { value *= 3; }, data);
    co_return;
  };
  const Future task = runtime.submit(
      {.nested = true}, [&](double&) { (void)runtime.start(submits(runtime, dx)); }, dx);
  BOOST_CHECK_EXCEPTION(task.wait(), Error,
                        failure(ErrorCode::invalid_argument, "'x' is used in a coroutine of a nested task"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

namespace {

Coroutine<double> uses_data_of_its_own(Runtime& runtime) {
  co_await runtime.submit([] {});
  const auto x = runtime.allocate_vector<double>(3);
  const auto fill = [](VectorView<double> all) { std::fill(all.begin(), all.end(), 2.0); };
  const auto twice_all = [](VectorView<double> all) {
    for (double& one : all) one *= 2;
  };
  const Future filled = runtime.submit(fill, write(x));
  co_await filled;
  for (int i = 0; i < 3; ++i) {
    const Future doubled = runtime.submit(twice_all, x);
    co_await doubled;
  }
  double sum = 0;
  const auto total = runtime.scalar(sum);
  const auto add = [](VectorView<const double> all, double& result) {
    result = std::accumulate(all.begin(), all.end(), 0.0);
  };
  const Future added = runtime.submit(add, x, write(total));
  co_await added;
  co_return sum;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_coroutine_uses_data_that_it_has_allocated_everywhere) {
  Runtime runtime(with_workers(2));
  const auto uses = [&] { return runtime.start(uses_data_of_its_own(runtime)); };
  BOOST_TEST(uses().get() == 48);
  for (const bool in_call : {false, true}) {
    Started<double> started;
    if (in_call) {
      runtime.async([&] { started = uses(); }).get();
    } else {
      runtime.submit({.nested = true}, [&] { started = uses(); }).wait();
    }
    BOOST_TEST(started.get() == 48, in_call);
  }
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(a_cancelled_task_wakes_the_coroutine_that_awaits_it) {
  Runtime runtime(with_workers(1));
  Gate gate;
  std::atomic<bool> inside{false};
  const Future blocker = runtime.submit([&] {
    inside = true;
    gate.pass();
  });
  const auto waits = [](Future task) -> Coroutine<bool> {
    try {
      co_await task;
    } catch (const Error& error) {
      co_return error.code() == ErrorCode::cancelled;
    }
    co_return false;
  };
  TaskOptions options;
  options.after = {blocker};
  const Future later = runtime.submit(options, [] {});
  Started<bool> cancelled = runtime.start(waits(later));
  while (!inside) std::this_thread::yield();
  runtime.cancel();
  gate.open();
  BOOST_TEST(cancelled.get());
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_CASE(other_tasks_follow_a_coroutine) {
  Runtime runtime(with_workers(2));
  Gate gate;
  std::atomic<int> order{0};
  int first = 0;
  int second = 0;
  const auto program = [](Runtime& own, const Gate& at, std::atomic<int>& counter, int& number) -> Coroutine<> {
    co_await own.async([&at] { at.pass(); });
    number = ++counter;
  };
  Started<> started = runtime.start(program(runtime, gate, order, first));
  TaskOptions options;
  options.after = {started.future()};
  const Future follows = runtime.submit(options, [&] { second = ++order; });
  BOOST_TEST(!started.done());
  gate.open();
  follows.wait();
  BOOST_TEST(first == 1);
  BOOST_TEST(second == 2);
}

BOOST_AUTO_TEST_CASE(parameters_live_as_long_as_the_coroutine) {
  Runtime runtime(with_workers(2));
  std::atomic<int> alive{0};
  { const auto never_begun = keeps(runtime, Counted(alive)); }
  BOOST_TEST(alive == 0);
  BOOST_TEST(runtime.start(keeps(runtime, Counted(alive))).get() == 6);
  BOOST_TEST(alive == 0);
}

BOOST_AUTO_TEST_CASE(coroutines_are_refused_where_they_would_never_end) {
  {
    Runtime runtime(with_workers(2));
    Started<int> slow = runtime.start(keeps(runtime, [] {
      static std::atomic<int> count;
      return Counted(count);
    }()));
    runtime.submit([&] { BOOST_CHECK_NO_THROW((void)slow.done()); });
    const Future waits = runtime.submit([&runtime] {
      Gate gate;
      const auto never = [](Runtime& own, const Gate& at) -> Coroutine<> { co_await own.async([&at] { at.pass(); }); };
      Started<> started = runtime.start(never(runtime, gate));
      try {
        started.get();
      } catch (...) {
        gate.open();
        while (!started.done()) std::this_thread::yield();
        throw;
      }
    });
    BOOST_CHECK_EXCEPTION(waits.wait(), Error, failure(ErrorCode::wait_in_kernel, "kernel"));
    BOOST_CHECK_THROW(runtime.wait(), Error);
    const auto recorded = [&] { (void)runtime.start(throws(runtime)); };
    BOOST_CHECK_EXCEPTION((void)runtime.record(recorded), Error,
                          failure(ErrorCode::invalid_argument, "cannot be recorded"));
    const auto empty = []() -> Coroutine<> { co_await Future(); };
    Started<> awaits_nothing = runtime.start(empty());
    BOOST_CHECK_EXCEPTION(awaits_nothing.get(), Error, failure(ErrorCode::invalid_argument, "empty future"));
  }
  SimulationOptions simulation;
  simulation.machine = platform::load_machine("idgraf-double").value_or_throw();
  RuntimeOptions simulated;
  simulated.simulation = std::make_shared<SimulationOptions>(simulation);
  Runtime runtime(simulated);
  BOOST_CHECK_EXCEPTION((void)runtime.start(throws(runtime)), Error,
                        failure(ErrorCode::invalid_argument, "virtual time"));
}

namespace {

Coroutine<long> at_once(long number) { co_return number; }
Coroutine<long> after_a_call(Runtime& runtime, long number) {
  co_return co_await runtime.async([number] { return number; });
}
Coroutine<long> sum_of_many(Runtime& runtime, int at_once_calls, int waiting_calls) {
  long sum = 0;
  for (int i = 0; i < at_once_calls; ++i) sum += co_await at_once(i % 2);
  for (int i = 0; i < waiting_calls; ++i) sum += co_await after_a_call(runtime, 1);
  co_return sum;
}
Coroutine<long> count_leaves(Runtime& runtime, int depth, bool waits) {
  if (depth == 0 && waits) co_return co_await after_a_call(runtime, 1);
  if (depth == 0) co_return 1;
  const long left = co_await count_leaves(runtime, depth - 1, waits);
  co_return left + co_await count_leaves(runtime, depth - 1, waits);
}
Coroutine<long> depth_of(Runtime& runtime, int depth) {
  if (depth == 0) co_return co_await after_a_call(runtime, 0);
  co_return 1 + co_await depth_of(runtime, depth - 1);
}

}  // namespace

// The compiler does not make tail calls here, so a stack that grows with each of these would overflow.
BOOST_AUTO_TEST_CASE(coroutines_that_are_awaited_in_a_loop_take_no_stack) {
  Runtime runtime(with_workers(2));
  BOOST_TEST(runtime.start(sum_of_many(runtime, 400'000, 0)).get() == 200'000);
  BOOST_TEST(runtime.start(sum_of_many(runtime, 1000, 5000)).get() == 5500);
}

BOOST_AUTO_TEST_CASE(coroutines_await_coroutines_to_any_depth) {
  Runtime runtime(with_workers(2));
  for (const bool waits : {false, true}) {
    BOOST_TEST(runtime.start(count_leaves(runtime, 10, waits)).get() == 1024, waits);
  }
  for (const int depth : {1, 31, 32, 33, 100, 1000}) {
    BOOST_TEST(runtime.start(depth_of(runtime, depth)).get() == depth);
  }
}

BOOST_AUTO_TEST_CASE(a_coroutine_that_was_moved_from_is_told) {
  Runtime runtime(with_workers(1));
  const auto one = []() -> Coroutine<int> { co_return 1; };
  const auto awaits_nothing = [](const auto& make) -> Coroutine<int> {
    Coroutine<int> first = make();
    Coroutine<int> second = std::move(first);
    const int value = co_await std::move(second);
    co_return value + co_await std::move(first);
  };
  const auto is_told = failure(ErrorCode::invalid_argument, "a coroutine is empty: the object was moved from");
  BOOST_CHECK_EXCEPTION(runtime.start(awaits_nothing(one)).get(), Error, is_told);
  Coroutine<int> first = one();
  const Coroutine<int> second = std::move(first);
  BOOST_CHECK_EXCEPTION((void)runtime.start(std::move(first)), Error, is_told);
}

BOOST_AUTO_TEST_CASE(why_names_what_a_coroutine_waits_for) {
  Runtime runtime(with_workers(1));
  double number = 1;
  const auto x = runtime.scalar(number, "x");
  const auto waits = [](Runtime& own, Handle data) -> Coroutine<> {
    const Future doubled = own.submit(twice(), {data});
    co_await doubled;
  };
  Started<> started;
  std::string why;
  {
    const HostAccess held = runtime.acquire(x, AccessMode::read_write);
    started = runtime.start(waits(runtime, x));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!contains(why, "2 tasks wait") && std::chrono::steady_clock::now() < end) {
      why = runtime.why().to_text();
    }
  }
  started.get();
  BOOST_TEST(contains(why, "2 tasks wait, in the end, for 'x', which the program has held"), why);
  BOOST_TEST(contains(why, "the end of a coroutine"), why);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
