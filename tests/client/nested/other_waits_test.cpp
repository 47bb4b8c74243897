// Tests of kernels that wait for tasks that do not belong to them.
#include <array>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/nested/nested_support.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(other_waits)

namespace {

/// Waits for the task and returns the message of the error that the wait throws; empty if there is none.
std::string message_of_wait(const Future& task) {
  try {
    task.wait();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

// Without another thread on the only core, the other task would never start.
BOOST_AUTO_TEST_CASE(a_kernel_waits_for_a_task_of_the_program) {
  for (const int workers : {1, 2, 3}) {
    for (const char* policy : {"lws", "eager", "heft"}) {
      RuntimeOptions options = with_workers(workers);
      options.policy = policy;
      Runtime runtime(options);
      Gate gate;
      Future other;
      double x = 0;
      const Scalar<double> data = runtime.scalar(x);
      double seen = 0;
      Future waiting = runtime.submit(nested("waiting"), [&] {
        gate.pass();
        other.wait();
        seen = x;
      });
      other = runtime.submit([](double& value) { value = 5; }, data);
      gate.open();
      waiting.wait();
      BOOST_TEST(seen == 5, policy << " with " << workers);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_function_gets_a_value_that_another_one_computes) {
  Runtime runtime(with_workers(1));
  Gate gate;
  Value<int> first = runtime.async([&gate] {
    gate.pass();
    return 20;
  });
  Value<int> second = runtime.async([&first] { return first.get() + 1; });
  Value<int> third = runtime.async([&second] { return 2 * second.get(); });
  gate.open();
  BOOST_TEST(third.get() == 42);
}

BOOST_AUTO_TEST_CASE(a_wait_for_what_waits_for_the_kernel_is_refused) {
  Runtime runtime(with_workers(2));
  Gate gate;
  std::array<double, 2> x{};
  const Vector<double> data = runtime.vector(x, "x");
  Future outer;
  Future behind;
  std::array<std::string, 4> told;
  outer = runtime.submit(with_weak({read_write(data)}, "outer"), [&] {
    gate.pass();
    told[0] = message_of_wait(outer);
    told[1] = message_of_wait(behind);
    runtime
        .submit([&] {
          told[2] = message_of_wait(outer);
          told[3] = message_of_wait(behind);
        })
        .wait();
  });
  behind = runtime.submit(
      {.name = "behind"}, [](VectorView<double>) {}, data);
  gate.open();
  runtime.wait();
  for (const std::string& each : told) {
    BOOST_TEST(contains(each, "would never end"), each);
    BOOST_TEST(contains(each, "submit a task that depends on what you wait for"), each);
  }
  BOOST_TEST(contains(told[0], "ends after this kernel"), told[0]);
  BOOST_TEST(contains(told[1], "'behind'"), told[1]);
  BOOST_TEST(contains(told[1], "waits for this kernel"), told[1]);
  BOOST_TEST(contains(told[3], "'outer'"), told[3]);
  BOOST_TEST(contains(told[3], "around it"), told[3]);
}

BOOST_AUTO_TEST_CASE(of_kernels_that_wait_in_a_ring_one_is_refused) {
  for (const int workers : {1, 3}) {
    Runtime runtime(with_workers(workers));
    Gate gate;
    constexpr int kKernels = 3;
    std::array<Future, kKernels> ring;
    std::array<std::string, kKernels> told;
    for (int i = 0; i < kKernels; ++i) {
      ring[static_cast<std::size_t>(i)] = runtime.submit(nested("ring"), [&, i] {
        gate.pass();
        told[static_cast<std::size_t>(i)] = message_of_wait(ring[static_cast<std::size_t>((i + 1) % kKernels)]);
      });
    }
    gate.open();
    runtime.wait();
    int refused = 0;
    for (const std::string& each : told) refused += contains(each, "would never end") ? 1 : 0;
    BOOST_TEST(refused == 1);
  }
}

BOOST_AUTO_TEST_CASE(a_kernel_is_told_what_the_other_task_failed_with) {
  Runtime runtime(with_workers(2));
  const Future failing = runtime.submit([] { throw std::runtime_error("no more sugar"); });
  const Future cancelled = runtime.submit({.after = {failing}}, [] {});
  std::array<std::string, 2> told;
  const Future waiting = runtime.submit(nested("waiting"), [&] {
    told[0] = message_of_wait(failing);
    told[1] = message_of_wait(cancelled);
  });
  // The tasks that failed are no children, so the kernel that has caught their failures has not failed.
  waiting.wait();
  BOOST_TEST(contains(told[0], "no more sugar"), told[0]);
  BOOST_TEST(contains(told[1], "cancelled"), told[1]);
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_CASE(a_report_says_which_task_a_kernel_waits_for) {
  Runtime runtime(with_workers(2));
  Gate gate;
  const Future slow = runtime.submit({.name = "slow"}, [&gate] { gate.pass(); });
  const Future waiting = runtime.submit(nested("waiting"), [&] { slow.wait(); });
  std::string text;
  BOOST_TEST(eventually([&] {
    text = runtime.why().to_text();
    return contains(text, "1 task waits");
  }));
  gate.open();
  waiting.wait();
  BOOST_TEST(contains(text, "'slow'"), text);
  BOOST_TEST_MESSAGE(text);
}

BOOST_AUTO_TEST_CASE(kernels_of_a_run_in_one_thread_are_refused) {
  RuntimeOptions options = with_workers(1);
  options.threads.deterministic = true;
  Runtime runtime(options);
  Future other;
  std::string told;
  const Future waiting = runtime.submit(nested("waiting"), [&] { told = message_of_wait(other); });
  other = runtime.submit([] {});
  waiting.wait();
  BOOST_TEST(contains(told, "only one thread"), told);
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(tasks_that_wait_for_any_earlier_ones_all_end) {
  for (const int workers : {1, 2, 4}) {
    Runtime runtime(with_workers(workers));
    std::mt19937 random(static_cast<unsigned>(workers));
    constexpr std::size_t kTasks = 300;
    std::vector<Future> tasks;
    tasks.reserve(kTasks);
    std::vector<long> sums(kTasks);
    std::vector<long> expected(kTasks);
    const auto work = [&](std::size_t i, std::array<std::size_t, 2> from) {
      sums[i] = 1;
      for (const std::size_t j : from) {
        if (j >= i) continue;
        tasks[j].wait();
        sums[i] = (sums[i] + sums[j]) % 1'000'003;
      }
    };
    for (std::size_t i = 0; i < kTasks; ++i) {
      const std::array<std::size_t, 2> from{random() % (i + 1), random() % (i + 1)};
      expected[i] = 1;
      for (const std::size_t j : from) {
        if (j < i) expected[i] = (expected[i] + expected[j]) % 1'000'003;
      }
      tasks.push_back(runtime.submit(nested(), [&work, i, from] { work(i, from); }));
    }
    runtime.wait();
    BOOST_TEST(sums == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
