// Tests of functions that run as tasks and return values.
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/client/fixture.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(values)

namespace {

long fibonacci(Runtime& runtime, int n) {
  if (n < 2) return n;
  Value<long> first = runtime.async(fibonacci, std::ref(runtime), n - 1);
  Value<long> second = runtime.async(fibonacci, std::ref(runtime), n - 2);
  return first.get() + second.get();
}

/// An argument that counts how many of its kind there are.
class Counted {
 public:
  explicit Counted(std::atomic<int>& count) : count_(&count) { ++*count_; }
  Counted(const Counted& other) : count_(other.count_) { ++*count_; }
  Counted(Counted&& other) noexcept : count_(other.count_) { ++*count_; }
  ~Counted() { --*count_; }

 private:
  std::atomic<int>* count_;
};

}  // namespace

BOOST_AUTO_TEST_CASE(calls_run_on_cores_beside_emulated_accelerators) {
  RuntimeOptions options = with_workers(2);
  options.accelerators.emulated_gpus.resize(1);
  Runtime runtime(options);
  BOOST_TEST(runtime.async(fibonacci, std::ref(runtime), 10).get() == 55);
}

BOOST_AUTO_TEST_CASE(functions_call_themselves_as_tasks_and_wait_for_the_values) {
  for (const int workers : {1, 2, 4}) {
    Runtime runtime(with_workers(workers));
    BOOST_TEST(runtime.async(fibonacci, std::ref(runtime), 17).get() == 1597);
  }
  Runtime runtime(deterministic(2));
  BOOST_TEST(runtime.async(fibonacci, std::ref(runtime), 10).get() == 55);
}

BOOST_AUTO_TEST_CASE(a_recursion_makes_tasks_only_while_there_are_few) {
  Runtime runtime(with_workers(1));
  BOOST_TEST(runtime.async(fibonacci, std::ref(runtime), 20).get() == 6765);
  runtime.wait();
  // 21,891 calls are made.
  BOOST_TEST(runtime.progress().ended < 10000U);
}

BOOST_AUTO_TEST_CASE(a_call_that_is_made_at_once_ends_after_what_it_calls) {
  for (const int workers : {1, 3}) {
    Runtime runtime(with_workers(workers));
    std::atomic<int> leaves{0};
    std::function<int(int)> descend = [&](int depth) {
      if (depth == 0) {
        ++leaves;
        return 1;
      }
      // The first value is dropped: only the end of the call tells of it.
      (void)runtime.async(descend, depth - 1);
      Value<int> second = runtime.async(descend, depth - 1);
      return second.get() + 1;
    };
    const Value<void> outer = runtime.async([&] {
      for (int i = 0; i < 20; ++i) {
        const int before = leaves;
        BOOST_TEST(runtime.async(descend, 5).get() == 6);
        BOOST_TEST(leaves >= before + 32);
      }
    });
    runtime.wait();
    BOOST_TEST(leaves == 640);
  }
}

BOOST_AUTO_TEST_CASE(a_call_that_is_made_at_once_fails_as_a_task_does) {
  Runtime runtime(with_workers(1));
  std::vector<std::string> caught;
  bool had_future = true;
  Value<void> outer = runtime.async([&] {
    std::vector<Value<int>> values;
    for (int i = 0; i < 6; ++i) {
      values.push_back(runtime.async([i] { return i < 5 ? i : throw std::runtime_error("number 5"); }));
    }
    for (Value<int>& value : values) {
      had_future = had_future && value.future().valid();
      try {
        (void)value.get();
      } catch (const std::runtime_error& error) {
        caught.emplace_back(error.what());
      }
    }
  });
  BOOST_CHECK_EXCEPTION(outer.get(), Error, failure(ErrorCode::kernel_failed, "number 5"));
  BOOST_TEST(caught == std::vector<std::string>{"number 5"}, boost::test_tools::per_element());
  BOOST_TEST(had_future);
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_CASE(values_of_all_kinds_are_returned) {
  Runtime runtime(with_workers(2));
  Value<std::string> text = runtime.async([](std::string a, const std::string& b) { return a + b; }, "north", "west");
  BOOST_TEST(text.get() == "northwest");
  BOOST_TEST(!text.valid());
  BOOST_CHECK_EXCEPTION((void)text.get(), Error, failure(ErrorCode::invalid_argument, "got before"));
  Value<std::unique_ptr<int>> owner = runtime.async([](std::unique_ptr<int> x) { return x; }, std::make_unique<int>(7));
  BOOST_TEST(*owner.get() == 7);
  int target = 1;
  Value<int&> reference = runtime.async([](int& x) -> int& { return ++x; }, std::ref(target));
  reference.get() = 5;
  BOOST_TEST(target == 5);
  Value<void> nothing = runtime.async(named("setter", [&target] { target = 6; }));
  nothing.get();
  BOOST_TEST(target == 6);
}

BOOST_AUTO_TEST_CASE(get_throws_what_the_function_threw) {
  Runtime runtime(with_workers(2));
  Value<int> broken = runtime.async([]() -> int { throw std::out_of_range("no such shelf"); });
  BOOST_CHECK_EXCEPTION((void)broken.get(), std::out_of_range,
                        [](const std::out_of_range& error) { return std::string(error.what()) == "no such shelf"; });
  BOOST_CHECK_THROW(runtime.wait(), Error);
  // The failure of a child that nobody asks for is the failure of the task that called it.
  Value<int> parent = runtime.async([&runtime] {
    (void)runtime.async([] { throw std::runtime_error("the child"); });
    return 1;
  });
  BOOST_CHECK_EXCEPTION((void)parent.get(), Error, failure(ErrorCode::kernel_failed, "the child"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_is_told_and_leaves_nothing) {
  std::atomic<int> count{0};
  {
    Runtime runtime(with_workers(1));
    std::atomic<bool> go_on{false};
    runtime.submit([&go_on] { go_on.wait(false); });
    Value<int> value = runtime.async([](const Counted&) { return 1; }, Counted(count));
    {
      const Value<int> dropped = runtime.async([](const Counted&) { return 1; }, Counted(count));
    }
    value.future().cancel();
    go_on = true;
    go_on.notify_all();
    BOOST_CHECK_EXCEPTION((void)value.get(), Error, failure(ErrorCode::cancelled, "cancel"));
    try {
      runtime.wait();
    } catch (const Error&) {
    }
  }
  BOOST_TEST(count == 0);
}

BOOST_AUTO_TEST_CASE(other_tasks_depend_on_a_call) {
  Runtime runtime(with_workers(2));
  int order = 0;
  const Value<void> first = runtime.async([&order] { order = 1; });
  TaskOptions after;
  after.after = {first.future()};
  runtime.submit(after, [&order] { order *= 2; });
  runtime.wait();
  BOOST_TEST(order == 2);
}

BOOST_AUTO_TEST_CASE(a_call_takes_the_options_of_a_task) {
  RuntimeOptions options = with_workers(1);
  options.trace = true;
  Runtime runtime(options);
  std::atomic<bool> go_on{false};
  runtime.submit([&go_on] { go_on.wait(false); });
  std::string order;
  std::stop_source source;
  TaskStatus told = TaskStatus::pending;
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  Value<void> late = runtime.async({.deadline = soon}, [&order] { order += 'd'; });
  Value<void> stopped = runtime.async({.stop = source.get_token()}, [&order] { order += 's'; });
  Value<int> last = runtime.async(
      {.name = "last", .callback = [&told](const TaskOutcome& end) { told = end.status; }},
      [&order](int given) {
        order += 'l';
        return given + 1;
      },
      41);
  Value<void> urgent = runtime.async({.priority = 1}, named("urgent", [&order] { order += 'u'; }));
  Value<void> behind = runtime.async({.after = {last.future()}}, [&order] { order += 'b'; });
  source.request_stop();
  std::this_thread::sleep_until(soon);
  go_on = true;
  go_on.notify_all();
  BOOST_TEST(last.get() == 42);
  behind.get();
  urgent.get();
  BOOST_CHECK_EXCEPTION(late.get(), Error, failure(ErrorCode::cancelled, "deadline"));
  BOOST_CHECK_EXCEPTION(stopped.get(), Error, failure(ErrorCode::cancelled, "stop"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  BOOST_TEST(order == "ulb");
  BOOST_TEST((told == TaskStatus::succeeded));
  const Trace trace = runtime.take_trace();
  BOOST_TEST(std::ranges::any_of(trace.events, [&trace](const TraceEvent& e) { return trace.name_of(e) == "last"; }));
  BOOST_CHECK_EXCEPTION((void)runtime.async({.weak = {Access(Handle(), AccessMode::read)}}, [] {}), Error,
                        failure(ErrorCode::invalid_argument, "async", "weak data"));
}

BOOST_AUTO_TEST_CASE(a_call_with_options_is_a_task_where_others_are_made_at_once) {
  Runtime runtime(with_workers(1));
  const auto run_before_the_end = [&runtime](const TaskOptions* options) {
    int run = 0;
    runtime
        .async([&] {
          const auto one = [&run] { ++run; };
          std::vector<Value<void>> all;
          for (int i = 0; i < 100; ++i) all.push_back(options ? runtime.async(*options, one) : runtime.async(one));
          const int before = run;
          for (Value<void>& each : all) each.get();
          run = before;
        })
        .get();
    return run;
  };
  const TaskOptions urgent{.priority = 1};
  BOOST_TEST(run_before_the_end(nullptr) > 0);
  BOOST_TEST(run_before_the_end(&urgent) == 0);
}

BOOST_AUTO_TEST_CASE(a_call_uses_data_that_it_has_made) {
  Runtime runtime(with_workers(2));
  const auto sum_of_three = [&](bool registers) {
    std::vector<double> memory(3, 0.0);
    const Vector<double> x = registers ? runtime.vector(memory) : runtime.allocate_vector<double>(3);
    runtime.submit([](VectorView<double> all) { std::iota(all.begin(), all.end(), 1.0); }, write(x));
    const HostAccess all = runtime.acquire(x, AccessMode::read);
    return all.vector<double>()[0] + all.vector<double>()[1] + all.vector<double>()[2];
  };
  for (const bool registers : {false, true}) {
    BOOST_TEST(runtime.async(sum_of_three, registers).get() == 6);
    // Some of these are made at once.
    const auto many = [&] {
      std::vector<Value<double>> sums;
      for (int i = 0; i < 200; ++i) sums.push_back(runtime.async(sum_of_three, registers));
      double all = 0;
      for (Value<double>& sum : sums) all += sum.get();
      return all;
    };
    BOOST_TEST(runtime.async(many).get() == 1200);
    double all = 0;
    runtime.submit({.nested = true}, [&] { all = many(); }).wait();
    BOOST_TEST(all == 1200);
  }
}

BOOST_AUTO_TEST_CASE(a_call_may_use_no_data_of_others_whether_it_is_made_at_once_or_not) {
  Runtime runtime(with_workers(2));
  double x = 0;
  const auto declared = runtime.scalar(x, "x");
  int refused = 0;
  const auto check = [&](const auto& data) {
    constexpr int kCalls = 200;
    std::vector<Value<void>> calls;
    for (int i = 0; i < kCalls; ++i) {
      calls.push_back(runtime.async([&] { runtime.submit([](double& one) { one += 1; }, data); }));
    }
    for (Value<void>& call : calls) {
      try {
        call.get();
      } catch (const Error& error) {
        const std::string said = error.what();
        if (said.find("is used in a function that async calls") != std::string::npos) ++refused;
      }
    }
    BOOST_TEST(std::exchange(refused, 0) == kCalls);
  };
  const Future task = runtime.submit({.nested = true, .weak = {read_write(declared)}}, [&] {
    check(declared);
    const auto own = runtime.allocate_scalar<double>();
    runtime.submit([](double& one) { one = 0; }, write(own));
    check(own);
  });
  BOOST_CHECK_THROW(task.wait(), Error);
  BOOST_CHECK_THROW(runtime.wait(), Error);
  BOOST_TEST(x == 0);
}

BOOST_AUTO_TEST_CASE(calls_where_no_value_could_come_are_refused) {
  Runtime runtime(with_workers(1));
  BOOST_CHECK_EXCEPTION((void)runtime.record([&] { (void)runtime.async([] { return 1; }); }), Error,
                        failure(ErrorCode::invalid_argument, "async", "recorded"));
  SimulationOptions simulation;
  simulation.machine = platform::load_machine("idgraf-double").value_or_throw();
  simulation.times["call"].core = std::chrono::microseconds(1);
  RuntimeOptions options;
  options.simulation = std::make_shared<const SimulationOptions>(simulation);
  Runtime simulated(options);
  BOOST_CHECK_EXCEPTION((void)simulated.async(named("call", [] { return 1; })), Error,
                        failure(ErrorCode::invalid_argument, "virtual time"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
