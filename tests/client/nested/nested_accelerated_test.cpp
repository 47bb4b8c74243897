// Tests of nested tasks that divide data in their kernels where accelerators take part.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/client/nested/nested_support.hpp"
#include "tests/client/parts/accelerators.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

namespace {

constexpr std::int64_t kElements = 10;

/// Returns blocks that divide the elements at `middle`.
std::array<Block, 2> cut_at(std::int64_t middle) {
  return {Block{0, 0, middle, 1}, Block{middle, 0, kElements - middle, 1}};
}

/// Returns a codelet for accelerators only, which multiplies its data by a factor.
Codelet multiply_there(const char* name = "multiply") {
  Codelet codelet(name, {AccessMode::read_write});
  codelet.implement(DeviceKind::emulated, [](const KernelContext& context) {
    for (double& element : context.vector<double>(0)) element *= context.argument<double>(0);
  });
  return codelet;
}

/// Returns a codelet for accelerators only that throws.
Codelet fail_there() {
  Codelet codelet("fail", {AccessMode::read_write});
  codelet.implement(DeviceKind::emulated, [](const KernelContext&) { throw std::runtime_error("planned"); });
  return codelet;
}

/// Ten elements that are 1 in the beginning.
struct Ones {
  explicit Ones(Runtime& runtime) : whole(runtime.vector(elements, "x")) {}
  std::vector<double> elements = std::vector<double>(kElements, 1.0);
  Vector<double> whole;
};

/// Returns `first` elements of one value and the rest of another.
std::vector<double> elements_of(std::int64_t first, double value, double other) {
  std::vector<double> elements(kElements, other);
  std::fill_n(elements.begin(), first, value);
  return elements;
}

Coroutine<double> one_and_two(Runtime& runtime) {
  const double one = co_await runtime.async([] { return 1.0; });
  co_return one + co_await runtime.async([] { return 2.0; });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(nested_accelerated)

BOOST_AUTO_TEST_CASE(children_on_accelerators_use_parts_that_the_kernel_has_made) {
  Runtime runtime(with_accelerators(2));
  Ones data(runtime);
  const Codelet multiply = multiply_there();
  runtime.submit(
      nested(),
      [&](VectorView<double> x) {
        for (double& element : x) element += 1;
        double factor = 10;
        for (const Handle& part : runtime.partition(data.whole, cut_at(4))) {
          runtime.submit(multiply, {part}, args(factor));
          runtime.submit(multiply, {part}, args(factor));
          factor *= 10;
        }
      },
      read_write(data.whole));
  runtime.wait();
  BOOST_TEST(data.elements == elements_of(4, 200, 20000), boost::test_tools::per_element());
}

/// Adds 1 to the elements of `data` by nested tasks on halves, and theirs, and waits for them. Returns the sum.
double add_and_sum(Runtime& runtime, const Handle& data, VectorView<double> x) {
  const auto size = static_cast<std::int64_t>(x.size());
  if (size == 1) return x[0] += 1;
  const std::array<Block, 2> halves{Block{0, 0, size / 2, 1}, Block{size / 2, 0, size - size / 2, 1}};
  std::array<double, 2> sums{};
  double* sum = sums.data();
  for (const Handle& half : runtime.partition(data, halves)) {
    runtime.submit(
        nested(), [&runtime, half, sum](VectorView<double> part) { *sum = add_and_sum(runtime, half, part); },
        read_write(half));
    ++sum;
  }
  runtime.wait();
  return sums[0] + sums[1];
}

BOOST_AUTO_TEST_CASE(a_kernel_waits_for_children_that_use_its_own_data) {
  for (const int accelerators : {1, 2}) {
    Runtime runtime(with_accelerators(accelerators));
    Ones data(runtime);
    const Codelet multiply = multiply_there();
    double sum = 0;
    for (int round = 0; round < 3; ++round) {
      runtime.submit(
          nested(), [&](VectorView<double> x) { sum = add_and_sum(runtime, data.whole, x); }, read_write(data.whole));
      runtime.submit(multiply, {data.whole}, args(2.0));
    }
    runtime.wait();
    BOOST_TEST(sum == kElements * 11);
    BOOST_TEST(data.elements == std::vector<double>(kElements, 22), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(policies_know_the_devices_of_children_that_a_wait_has_restricted) {
  for (const char* policy : {"heteroprio", "heft", "homeward", "mct", "lws"}) {
    RuntimeOptions options = with_accelerators(1);
    options.policy = policy;
    Runtime runtime(options);
    std::vector<double> elements(40, 1.0);
    const auto whole = runtime.vector(elements, "x");
    const auto add = [](const KernelContext& context) {
      for (double& element : context.vector<double>(0)) element += 1;
    };
    Codelet leaf = Codelet("leaf", {AccessMode::read_write}).cpu(add);
    leaf.implement(DeviceKind::emulated, add);
    for (int round = 0; round < 3; ++round) {
      runtime.submit(
          nested(),
          [&](VectorView<double>) {
            std::vector<Block> blocks;
            for (std::int64_t i = 0; i < 40; i += 4) blocks.push_back({i, 0, 4, 1});
            for (const Handle& part : runtime.partition(whole, blocks)) runtime.submit(leaf, {part});
            runtime.wait();
          },
          read_write(whole));
      runtime.submit(leaf, {whole});
    }
    runtime.wait();
    BOOST_TEST(elements == std::vector<double>(40, 7.0), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(coroutines_run_in_children_of_a_waiting_kernel) {
  Runtime runtime(with_accelerators(1));
  Ones data(runtime);
  double got = 0;
  runtime.submit(
      nested(),
      [&](VectorView<double>) {
        runtime.submit(
            nested(),
            [&](VectorView<double> x) {
              got = runtime.start(one_and_two(runtime)).get();
              x[0] += got;
            },
            read_write(data.whole));
        runtime.wait();
      },
      read_write(data.whole));
  runtime.wait();
  BOOST_TEST(got == 3);
  BOOST_TEST(data.elements[0] == 4);
}

BOOST_AUTO_TEST_CASE(a_wait_for_a_child_without_an_implementation_for_cores_is_refused) {
  Runtime runtime(with_accelerators(1));
  Ones data(runtime);
  const Codelet multiply = multiply_there();
  std::string own;
  std::string inside;
  runtime.submit(
      nested("outer"),
      [&](VectorView<double>) {
        runtime.submit(multiply, {data.whole}, args(2.0));
        own = message_of([&] { runtime.wait(); });
      },
      read_write(data.whole));
  runtime.wait();
  BOOST_TEST(data.elements == std::vector<double>(kElements, 2), boost::test_tools::per_element());
  runtime.submit(
      nested("outer"),
      [&](VectorView<double>) {
        runtime.submit(with_weak({read_write(data.whole)}), [&] {
          inside = message_of([&] { runtime.submit(multiply, {data.whole}, args(2.0)); });
          runtime.submit([](VectorView<double> x) { x[0] = 5; }, data.whole);
        });
        runtime.wait();
      },
      read_write(data.whole));
  runtime.wait();
  BOOST_TEST(contains(own, "'outer'"));
  BOOST_TEST(contains(own, "give it an implementation for cores that no restriction leaves out"));
  BOOST_TEST(contains(inside, "cannot run on cores, as all tasks inside of this nested task have to"));
  BOOST_TEST(data.elements == elements_of(1, 5, 2), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(afterwards_accelerators_use_the_data_whole_and_kernels_divide_them_anew) {
  for (const bool before_it_begins : {true, false}) {
    Runtime runtime(with_accelerators(2));
    Ones data(runtime);
    const Codelet multiply = multiply_there();
    Gate gate;
    for (const std::int64_t middle : {4, 7, 4}) {
      runtime.submit(
          nested(),
          [&, middle](VectorView<double>) {
            gate.pass();
            for (const Handle& part : runtime.partition(data.whole, cut_at(middle))) {
              runtime.submit(multiply, {part}, args(3.0));
            }
          },
          read_write(data.whole));
      if (!before_it_begins) {
        gate.open();
        runtime.wait();
      }
      runtime.submit(multiply, {data.whole}, args(2.0));
    }
    gate.open();
    runtime.wait();
    BOOST_TEST(data.elements == std::vector<double>(kElements, 216), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(kernels_divide_what_children_on_accelerators_have_written) {
  Runtime runtime(with_accelerators(1));
  std::vector<double> result(kElements);
  const auto sum = runtime.vector(result, "sum");
  const Codelet multiply = multiply_there();
  runtime.submit(with_weak({write(sum)}), [&] {
    Runtime here = Runtime::here();
    const auto own = here.allocate_vector<double>(kElements);
    here.submit([](VectorView<double> x) { std::ranges::fill(x, 1.0); }, write(own));
    here.submit(multiply, {own}, args(2.0));
    here.wait();
    for (const Handle& part : here.partition(own, cut_at(3))) here.submit(multiply, {part}, args(5.0));
    here.submit([](VectorView<const double> from, VectorView<double> to) { std::ranges::copy(from, to.begin()); }, own,
                write(sum));
  });
  runtime.wait();
  BOOST_TEST(result == std::vector<double>(kElements, 10), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_recursion_divides_parts_of_parts) {
  Runtime runtime(with_accelerators(2));
  std::vector<double> elements(64);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<double>(i);
  const auto whole = runtime.vector(elements, "x");
  const Codelet multiply = multiply_there();
  struct Recursion {
    void halve(const Handle& part, std::int64_t size) const {
      if (size == 8) {
        runtime.submit(multiply, {part}, args(2.0));
        return;
      }
      runtime.submit(
          nested(),
          [this, part, size](VectorView<double> x) {
            for (double& element : x) element += 1;
            const std::array<Block, 2> halves{Block{0, 0, size / 2, 1}, Block{size / 2, 0, size / 2, 1}};
            for (const Handle& half : runtime.partition(part, halves)) halve(half, size / 2);
          },
          read_write(part));
    }
    Runtime& runtime;
    const Codelet& multiply;
  };
  const Recursion recursion{runtime, multiply};
  for (int round = 0; round < 3; ++round) recursion.halve(whole, 64);
  runtime.submit(multiply, {whole}, args(0.5));
  runtime.wait();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    double expected = static_cast<double>(i);
    for (int round = 0; round < 3; ++round) expected = 2 * (expected + 3);
    BOOST_TEST(elements[i] == expected / 2);
  }
}

BOOST_AUTO_TEST_CASE(after_a_failure_the_data_can_be_written_whole) {
  Runtime runtime(with_accelerators(1));
  Ones data(runtime);
  const Codelet multiply = multiply_there();
  const Codelet fail = fail_there();
  for (const bool kernel_throws : {false, true}) {
    const Future divided = runtime.submit(
        nested(),
        [&, kernel_throws](VectorView<double>) {
          const std::vector<Handle> parts = runtime.partition(data.whole, cut_at(4));
          runtime.submit(multiply, {parts[0]}, args(3.0));
          runtime.submit(fail, {parts[1]});
          if (kernel_throws) throw std::runtime_error("planned, too");
        },
        read_write(data.whole));
    const Future after = runtime.submit(multiply, {data.whole}, args(2.0));
    BOOST_CHECK_THROW(runtime.wait(), Error);
    BOOST_TEST((divided.status() == TaskStatus::failed));
    BOOST_TEST((after.status() == TaskStatus::cancelled));
    Codelet set("set", {AccessMode::write});
    set.implement(DeviceKind::emulated,
                  [](const KernelContext& context) { std::ranges::fill(context.vector<double>(0), 5.0); });
    runtime.submit(set, {data.whole});
    runtime.submit(multiply, {data.whole}, args(2.0));
    runtime.wait();
    BOOST_TEST(runtime.acquire(data.whole, AccessMode::read).vector<double>()[9] == 10);
  }
}

BOOST_AUTO_TEST_CASE(a_failure_in_other_data_leaves_the_divided_data_valid) {
  Runtime runtime(with_accelerators(1));
  Ones data(runtime);
  Ones other(runtime);
  const Codelet multiply = multiply_there();
  const Codelet fail = fail_there();
  TaskOptions options = with_weak({read_write(other.whole)});
  runtime.submit(
      options,
      [&](VectorView<double>) {
        for (const Handle& part : runtime.partition(data.whole, cut_at(4))) runtime.submit(multiply, {part}, args(3.0));
        runtime.submit(fail, {other.whole});
      },
      read_write(data.whole));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  runtime.submit(multiply, {data.whole}, args(2.0));
  runtime.wait();
  BOOST_TEST(data.elements == std::vector<double>(kElements, 6), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_late_cancellation_loses_nothing_without_a_word) {
  Runtime runtime(with_accelerators(1));
  Ones data(runtime);
  Gate gate;
  std::atomic<bool> runs{false};
  Codelet gated("gated", {AccessMode::read_write});
  gated.implement(DeviceKind::emulated, [&](const KernelContext& context) {
    runs = true;
    gate.pass();
    for (double& element : context.vector<double>(0)) element *= 3;
  });
  const Future divided = runtime.submit(
      nested(),
      [&](VectorView<double>) { runtime.submit(gated, {runtime.partition(data.whole, cut_at(kElements))[0]}); },
      read_write(data.whole));
  while (!runs) std::this_thread::yield();
  divided.cancel();
  gate.open();
  runtime.wait();
  BOOST_TEST((divided.status() == TaskStatus::succeeded));
  BOOST_TEST(data.elements == std::vector<double>(kElements, 3), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(data_stay_divided_while_others_name_the_parts) {
  Runtime runtime(with_accelerators(1));
  Ones data(runtime);
  const Codelet multiply = multiply_there();
  Gate named;
  Gate gate;
  std::vector<Handle> parts;
  const Future divided = runtime.submit(
      nested(),
      [&](VectorView<double>) {
        parts = runtime.partition(data.whole, cut_at(4));
        runtime.submit(multiply, {parts[0]}, args(3.0));
        gate.open();
        named.pass();
      },
      read_write(data.whole));
  gate.pass();
  runtime.submit(multiply, {parts[0]}, args(2.0));
  named.open();
  divided.wait();
  runtime.submit(times_ten, read_write(data.whole));
  runtime.wait();
  BOOST_TEST(data.elements == elements_of(4, 60, 10), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_kernel_on_an_accelerator_divides_nothing) {
  Runtime runtime(with_accelerators(1));
  Ones data(runtime);
  Codelet there("there", {AccessMode::read_write});
  there.implement(DeviceKind::emulated, [&](const KernelContext&) { runtime.partition(data.whole, cut_at(4)); });
  const Future task = runtime.submit(there, {data.whole}, {}, nested());
  BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::wait_in_kernel, "a kernel on an accelerator"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
