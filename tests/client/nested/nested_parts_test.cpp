// Tests of nested tasks whose kernels divide data.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/nested/nested_support.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(nested_parts)

BOOST_AUTO_TEST_CASE(quicksort_partitions_in_its_kernels) {
  Runtime runtime(with_workers(2));
  std::vector<double> elements(20000);
  std::mt19937 random(5);
  for (double& element : elements) element = static_cast<double>(random() % 5000);
  std::vector<double> expected = elements;
  std::ranges::sort(expected);
  const auto data = runtime.vector(elements);
  std::function<void(const Handle&)> sort = [&](const Handle& part) {
    runtime.submit(
        nested(),
        [&, part](VectorView<double> x) {
          const auto size = static_cast<std::int64_t>(x.size());
          if (size < 500) return std::sort(x.begin(), x.end());
          const double pivot = x[static_cast<std::size_t>(size / 2)];
          const auto middle = std::partition(x.begin(), x.end(), [=](double one) { return one < pivot; });
          const auto upper = std::partition(middle, x.end(), [=](double one) { return one == pivot; });
          const std::int64_t below = middle - x.begin();
          const std::int64_t above = x.end() - upper;
          std::vector<Block> blocks;
          if (below > 0) blocks.push_back({0, 0, below, 1});
          if (above > 0) blocks.push_back({size - above, 0, above, 1});
          for (const Handle& one : runtime.partition(part, blocks)) sort(one);
        },
        read_write(part));
  };
  sort(data);
  runtime.wait();
  BOOST_TEST(elements == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(nested_tasks_divide_data_anew_while_others_wait_for_these) {
  Runtime runtime(with_workers(2));
  std::vector<double> x(100, 0.0);
  const auto whole = runtime.vector(x, "x");
  const Handle handle = whole;
  const auto add_in_parts = [&runtime, handle](VectorView<double>) {
    const std::array<Block, 2> halves{Block{0, 0, 50, 1}, Block{50, 0, 50, 1}};
    for (const Handle& part : runtime.partition(handle, halves)) runtime.submit(add_one, part);
  };
  double seen = 0;
  const auto sum = runtime.scalar(seen);
  for (int i = 0; i < 10; ++i) {
    runtime.submit(nested(), add_in_parts, read_write(whole));
    runtime.submit([](VectorView<const double> all, double& last) { last += all[99]; }, read(whole), sum);
  }
  runtime.wait();
  BOOST_TEST(x[0] == 10);
  BOOST_TEST(seen == 55);
  const RecordedGraph graph = runtime.record([&] { runtime.submit(nested(), add_in_parts, read_write(whole)); });
  for (int i = 0; i < 5; ++i) graph.run();
  runtime.wait();
  BOOST_TEST(x[99] == 15);
}

BOOST_AUTO_TEST_CASE(what_follows_waits_for_children_on_parts_of_parts) {
  // The inner kernels return while the outer one still runs, and the other way round.
  for (const bool inner_first : {true, false}) {
    Runtime runtime(with_workers(3));
    std::vector<double> elements(8, 1.0);
    const auto x = runtime.vector(elements, "x");
    const auto halves_of = [&](const Handle& whole, std::int64_t size) {
      const std::array<Block, 2> blocks{Block{0, 0, size / 2, 1}, Block{size / 2, 0, size / 2, 1}};
      return runtime.partition(whole, blocks);
    };
    Gate slow;
    Gate outer;
    std::atomic<bool> inner_returned{false};
    Handle quarter;
    runtime.submit(
        nested(),
        [&](VectorView<double>) {
          const auto halves = halves_of(x, 8);
          TaskOptions options = nested();
          runtime.submit(
              options,
              [&, half = halves[0]](VectorView<double>) {
                if (!inner_first) outer.pass();
                const auto quarters = halves_of(half, 4);
                quarter = quarters[0];
                for (const Handle& one : quarters) {
                  runtime.submit(
                      [&](VectorView<double> part) {
                        slow.pass();
                        add_one(part);
                      },
                      read_write(one));
                }
                inner_returned = true;
              },
              read_write(halves[0]));
          runtime.submit(times_ten, read_write(halves[0]));
          if (inner_first) outer.pass();
        },
        x);
    const Future early = runtime.submit(times_ten, read_write(x));
    if (inner_first) {
      BOOST_TEST_REQUIRE(eventually([&] { return inner_returned.load(); }));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      outer.open();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      outer.open();
      BOOST_TEST_REQUIRE(eventually([&] { return inner_returned.load(); }));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const Future late = runtime.submit(add_one, read_write(quarter));
    BOOST_TEST((early.status() == TaskStatus::pending));
    BOOST_TEST((late.status() == TaskStatus::pending));
    slow.open();
    runtime.wait();
    BOOST_TEST(elements == (std::vector<double>{201, 201, 200, 200, 10, 10, 10, 10}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(the_memory_of_parts_that_a_kernel_has_made_is_used_again) {
  Runtime runtime(with_workers(2));
  {
    std::vector<double> elements(4, 1.0);
    const auto whole = runtime.vector(elements);
    runtime.submit(
        nested(),
        [&](Whole) {
          const std::array<Block, 2> blocks{Block{0, 0, 2, 1}, Block{2, 0, 2, 1}};
          (void)runtime.partition(whole, blocks);
        },
        whole);
    runtime.wait();
  }
  std::vector<double> values(5, 1.0);
  std::vector<Scalar<double>> data;
  for (double& value : values) data.push_back(runtime.scalar(value));
  Gate gate;
  TaskOptions options = with_weak({read_write(data[0]), read_write(data[4])});
  runtime.submit(options, [&] {
    runtime.submit([](double& x) { x += 1; }, data[0]);
    runtime.submit([&](double&) { gate.pass(); }, data[4]);
  });
  // The task waits for the child on its data, and not for the other.
  runtime.submit([](double& x) { x *= 10; }, data[0]).wait();
  gate.open();
  runtime.wait();
  BOOST_TEST(values[0] == 20);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
