// Tests of calls that return values, and of coroutines, in kernels of nested tasks that run in a service, beside the
// same in a runtime of the program's own.
#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/remote/places.hpp"
#include "tests/support/service_client.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

namespace {

long fibonacci(int n) {
  if (n < 2) return n;
  Runtime runtime = Runtime::here();
  Value<long> first = runtime.async(fibonacci, n - 1);
  const long second = fibonacci(n - 2);
  return first.get() + second;
}

long twice_of(long n) { return 2 * n; }

Coroutine<long> powers(int n) {
  long value = 1;
  for (int i = 0; i < n; ++i) value = co_await Runtime::here().async(twice_of, value);
  co_return value;
}

/// Doubles data of its own by tasks, and writes the result to `result` when the kernel that started it has returned.
Coroutine<> by_tasks(double* result, const Codelet& times) {
  const Vector<double> own = Runtime::here().allocate_vector<double>(4, "own");
  co_await Runtime::here().submit([](VectorView<double> x) { std::ranges::fill(x, 3.0); }, write(own));
  for (int i = 0; i < 3; ++i) {
    const Future doubled = Runtime::here().submit(times, {own}, args(2.0));
    co_await doubled;
  }
  *result = Runtime::here().acquire(own, AccessMode::read).vector<const double>()[3];
}

Coroutine<long> by_coroutines(int n) {
  if (n < 2) co_return n;
  Started<long> first = Runtime::here().start(by_coroutines(n - 1));
  const long second = co_await by_coroutines(n - 2);
  co_return second + co_await first;
}

/// Calls a function that passes the gate, again and again.
Coroutine<> gated_calls(Gate& gate) {
  for (int i = 0; i < 1000; ++i) co_await Runtime::here().async([&gate] { gate.pass(); });
}

Coroutine<> fails_at_last() {
  co_await Runtime::here().async(twice_of, 1L);
  throw std::runtime_error("on purpose");
}

}  // namespace

/// Codelets whose kernels call functions and start coroutines.
class ValueCodelets final : public NamedCodelets {
 public:
  explicit ValueCodelets(Gate& gate) {
    using enum AccessMode;
    add(Codelet("times", {read_write}).cpu([](VectorView<double> x, double by) {
      for (double& element : x) element *= by;
    }));
    add(Codelet("fibonacci", {write}).cpu([](double& x, std::int64_t n) {
      x = static_cast<double>(fibonacci(static_cast<int>(n)));
    }));
    add(Codelet("by_coroutines", {write}).cpu([](double& x, std::int64_t n) {
      x = static_cast<double>(Runtime::here().start(by_coroutines(static_cast<int>(n))).get());
    }));
    add(Codelet("gated_coroutine", {read_write}).cpu([&gate](VectorView<double>) {
      Runtime::here().start(gated_calls(gate)).get();
    }));
    add(Codelet("powers", {write}).cpu([](double& x, std::int64_t n) {
      x = static_cast<double>(Runtime::here().start(powers(static_cast<int>(n))).get());
    }));
    add(Codelet("by_tasks", {write}).cpu([this](double& x) {
      (void)Runtime::here().start(by_tasks(&x, (*this)["times"]));
    }));
    add(Codelet("fails_at_last", {write}).cpu([](double&) { (void)Runtime::here().start(fails_at_last()); }));
    add(Codelet("throws", {write}).cpu([](double& x) {
      try {
        Runtime::here().async([] { throw std::out_of_range("on purpose"); }).get();
      } catch (const std::out_of_range&) {
        x = 1;
      }
    }));
    add(Codelet("gated_calls", {write}).cpu([&gate](double& x) {
      std::vector<Value<void>> calls;
      for (int i = 0; i < 20; ++i) calls.push_back(Runtime::here().async([&gate] { gate.pass(); }));
      for (Value<void>& call : calls) call.get();
      x = 1;
    }));
  }
};

using ValuePlaces = PlacesWith<ValueCodelets>;

BOOST_FIXTURE_TEST_SUITE(nested_values_in_both_places, ValuePlaces)

BOOST_AUTO_TEST_CASE(kernels_call_functions_that_return_values) {
  both([this](Runtime& runtime) {
    double x = 0;
    const auto dx = runtime.scalar(x);
    for (const std::int64_t n : {1, 5, 16}) {
      runtime.submit((*this)["fibonacci"], {dx}, args(n), {.nested = true});
      runtime.wait();
      BOOST_TEST(x == (n == 1 ? 1 : n == 5 ? 5 : 987));
    }
  });
}

BOOST_AUTO_TEST_CASE(kernels_wait_for_coroutines) {
  both([this](Runtime& runtime) {
    double x = 0;
    const auto dx = runtime.scalar(x);
    runtime.submit((*this)["powers"], {dx}, args(std::int64_t{12}), {.nested = true});
    runtime.wait();
    BOOST_TEST(x == 4096);
    runtime.submit((*this)["by_coroutines"], {dx}, args(std::int64_t{12}), {.nested = true});
    runtime.wait();
    BOOST_TEST(x == 144);
  });
}

BOOST_AUTO_TEST_CASE(a_nested_task_ends_with_the_coroutine_that_its_kernel_has_started) {
  both([this](Runtime& runtime) {
    for (int i = 0; i < 20; ++i) {
      double x = 0;
      const auto dx = runtime.scalar(x);
      runtime.submit((*this)["by_tasks"], {dx}, {}, {.nested = true}).wait();
      runtime.wait(dx);
      BOOST_TEST(x == 24);
    }
  });
}

BOOST_AUTO_TEST_CASE(failures_are_those_of_the_nested_task) {
  both([this](Runtime& runtime) {
    double x = 0;
    const auto dx = runtime.scalar(x, "x");
    const Future task = runtime.submit((*this)["fails_at_last"], {dx}, {}, {.nested = true});
    BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::kernel_failed, "a coroutine threw: on purpose"));
    BOOST_CHECK_THROW(runtime.wait(), Error);
    // A child that failed fails the nested task, even if the kernel has caught its exception.
    const Future caught = runtime.submit((*this)["throws"], {dx}, {}, {.nested = true});
    BOOST_CHECK_EXCEPTION(caught.wait(), Error, failure(ErrorCode::kernel_failed, "on purpose"));
    BOOST_CHECK_THROW(runtime.wait(), Error);
  });
}

BOOST_AUTO_TEST_CASE(they_need_a_nested_task) {
  Runtime runtime = connect();
  double x = 0;
  const auto dx = runtime.scalar(x);
  for (const char* name : {"fibonacci", "powers"}) {
    const Future task = runtime.submit((*this)[name], {dx}, args(std::int64_t{5}));
    BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::invalid_argument, "TaskOptions::nested"));
    BOOST_CHECK_THROW(runtime.wait(), Error);
  }
}

BOOST_AUTO_TEST_CASE(a_program_that_is_cancelled_ends_its_calls) {
  {
    Runtime runtime = connect();
    double x = 0;
    const auto dx = runtime.scalar(x);
    const Future task = runtime.submit((*this)["gated_calls"], {dx}, {}, {.nested = true});
    BOOST_TEST(eventually([this] { return gate().waiting() > 0; }));
    runtime.cancel();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate().open();
    BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::cancelled));
    BOOST_CHECK_THROW(runtime.wait(), Error);
  }
  Runtime runtime = connect();
  double x = 0;
  const auto dx = runtime.scalar(x);
  runtime.submit((*this)["fibonacci"], {dx}, args(std::int64_t{10}), {.nested = true});
  runtime.wait();
  BOOST_TEST(x == 55);
}

BOOST_AUTO_TEST_CASE(a_client_that_dies_leaves_no_coroutines) {
  for (int i = 0; i < 5; ++i) {
    ServiceClient client(folder());
    BOOST_REQUIRE(client.hello() != 0);
    const MappedSegment segment = client.memory().allocate(4096);
    client.register_vector<double>(1, segment, 8);
    BOOST_TEST(!client.open(0, (*this)["gated_coroutine"]));
    client.submit(0, {1}, {}, true);
    BOOST_TEST(eventually([this] { return gate().waiting() > 0; }));
    client.disappear();
    gate().open();
    BOOST_TEST(eventually([this] { return empty(); }));
    gate().close();
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
