// Tests of nested tasks: tasks that consist of the tasks that their kernels submit.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(nested_tasks)

namespace {

using Whole = VectorView<double>;

TaskOptions nested(std::string name = {}) {
  TaskOptions options;
  options.nested = true;
  options.name = std::move(name);
  return options;
}
TaskOptions with_weak(std::vector<Access> weak, std::string name = {}) {
  TaskOptions options = nested(std::move(name));
  options.weak = std::move(weak);
  return options;
}

/// Ten elements that are registered, in two parts of five.
struct InTwoParts {
  explicit InTwoParts(Runtime& runtime) : whole(runtime.vector(elements, "x")) {
    const std::array<Block, 2> blocks{Block{0, 0, 5, 1}, Block{5, 0, 5, 1}};
    parts = runtime.partition(whole, blocks);
  }
  std::vector<double> elements = std::vector<double>(10, 1.0);
  Vector<double> whole;
  std::vector<Handle> parts;
};

void add_one(VectorView<double> x) {
  for (double& element : x) element += 1;
}
void times_ten(VectorView<double> x) {
  for (double& element : x) element *= 10;
}
/// Returns a kernel that waits at the gate, and then changes its data.
auto behind(const Gate& gate, void (*change)(VectorView<double>)) {
  return [&gate, change](VectorView<double> x) {
    gate.pass();
    change(x);
  };
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_nested_task_ends_with_its_last_child) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  Gate gate;
  const Future task = runtime.submit(
      nested(),
      [&](Whole) {
        runtime.submit(add_one, read_write(x.parts[0]));
        runtime.submit(behind(gate, add_one), read_write(x.parts[1]));
        runtime.submit(times_ten, read_write(x.parts[1]));
      },
      x.whole);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST((task.status() == TaskStatus::pending));
  gate.open();
  task.wait();
  BOOST_TEST(x.elements.front() == 2);
  BOOST_TEST(x.elements.back() == 20);
}

BOOST_AUTO_TEST_CASE(what_follows_on_a_part_waits_for_the_last_child_on_that_part) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  Gate slow;
  Gate submitted;
  std::atomic<int> followed{0};
  runtime.submit(
      nested(),
      [&](Whole) {
        runtime.submit(behind(slow, add_one), read_write(x.parts[0]));
        runtime.submit(add_one, read_write(x.parts[1]));
        submitted.pass();
      },
      x.whole);
  const auto follow = [&](const Handle& part) {
    return runtime.submit(
        [&followed](VectorView<double> part) {
          times_ten(part);
          ++followed;
        },
        read_write(part));
  };
  const Future early = follow(x.parts[0]);  // submitted before the kernel has returned
  const Future second = follow(x.parts[1]);
  submitted.open();
  second.wait();
  const Future third = follow(x.parts[1]);  // submitted after the kernel has returned
  third.wait();
  BOOST_TEST(followed == 2);
  BOOST_TEST((early.status() == TaskStatus::pending));
  const Future last = runtime.submit(add_one, read_write(x.whole));
  BOOST_TEST((last.status() == TaskStatus::pending));
  slow.open();
  runtime.wait();
  BOOST_TEST(x.elements.front() == 21);
  BOOST_TEST(x.elements.back() == 201);
}

BOOST_AUTO_TEST_CASE(children_are_ordered_among_themselves_on_every_level) {
  Runtime runtime(with_workers(2));
  std::vector<double> elements(4, 1.0);
  const auto x = runtime.vector(elements);
  std::function<void(int)> level = [&](int depth) {
    if (depth == 0) {
      runtime.submit(add_one, read_write(x));
      runtime.submit(times_ten, read_write(x));
      return;
    }
    for (int i = 0; i < 2; ++i) {
      runtime.submit(
          nested(), [&level, depth](Whole) { level(depth - 1); }, x);
      runtime.submit(add_one, read_write(x));
    }
  };
  level(3);
  runtime.wait();
  double expected = 1;
  std::function<void(int)> expect = [&](int depth) {
    if (depth == 0) {
      expected = (expected + 1) * 10;
      return;
    }
    for (int i = 0; i < 2; ++i) {
      expect(depth - 1);
      expected += 1;
    }
  };
  expect(3);
  for (const double element : elements) BOOST_TEST(element == expected);
}

BOOST_AUTO_TEST_CASE(children_work_on_temporary_data) {
  Runtime runtime(with_workers(2));
  std::function<void(int, const Handle&)> fibonacci = [&](int n, const Handle& result) {
    runtime.submit(
        nested(),
        [&, n, result](std::int64_t& value) {
          if (n < 2) {
            value = n;
            return;
          }
          const auto a = runtime.allocate_scalar<std::int64_t>();
          const auto b = runtime.allocate_scalar<std::int64_t>();
          fibonacci(n - 1, a);
          fibonacci(n - 2, b);
          runtime.submit([](const std::int64_t& one, const std::int64_t& two, std::int64_t& sum) { sum = one + two; },
                         a, b, write(result));
        },
        write(result));
  };
  std::int64_t result = 0;
  const auto data = runtime.scalar(result);
  fibonacci(12, data);
  runtime.wait();
  BOOST_TEST(result == 144);
}

BOOST_AUTO_TEST_CASE(a_long_chain_of_nested_tasks_ends_without_a_deep_stack) {
  Runtime runtime(with_workers(1));
  int count = 0;
  const auto data = runtime.scalar(count);
  std::function<void(int)> deeper = [&](int depth) {
    runtime.submit(
        nested(),
        [&deeper, depth](int& n) {
          ++n;
          if (depth > 1) deeper(depth - 1);
        },
        data);
  };
  deeper(100000);
  runtime.wait();
  BOOST_TEST(count == 100000);
}

BOOST_AUTO_TEST_CASE(a_task_with_weak_data_starts_before_they_are_ready_and_its_children_do_not) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  Gate before;
  std::atomic<bool> began{false};
  std::atomic<bool> child_ran{false};
  runtime.submit(
      [&](VectorView<double> part) {
        before.pass();
        add_one(part);
      },
      read_write(x.parts[0]));
  const Future task = runtime.submit(with_weak({read_write(x.whole)}), [&] {
    began = true;
    runtime.submit(
        [&](VectorView<double> part) {
          times_ten(part);
          child_ran = true;
        },
        read_write(x.parts[0]));
    runtime.submit(times_ten, read_write(x.parts[1]));
  });
  const Future other = runtime.submit(add_one, read_write(x.parts[1]));
  other.wait();
  BOOST_TEST(began.load());
  BOOST_TEST(!child_ran.load());
  BOOST_TEST((task.status() == TaskStatus::pending));
  before.open();
  runtime.wait();
  BOOST_TEST(x.elements.front() == 20);
  BOOST_TEST(x.elements.back() == 11);
}

BOOST_AUTO_TEST_CASE(what_follows_weak_data_that_no_child_uses_waits_for_what_came_before) {
  for (const bool reads_only : {false, true}) {
    Runtime runtime(with_workers(2));
    InTwoParts x(runtime);
    Gate before;
    runtime.submit(
        [&](VectorView<double> part) {
          before.pass();
          add_one(part);
        },
        read_write(x.parts[0]));
    const Access weak = reads_only ? Access(read(x.whole)) : Access(read_write(x.whole));
    std::atomic<bool> ran{false};
    const Future task = runtime.submit(with_weak({weak}), [&ran] { ran = true; });
    BOOST_TEST_REQUIRE(eventually([&] { return ran.load(); }));
    const Future after = runtime.submit(times_ten, read_write(x.parts[0]));
    runtime.submit(times_ten, read_write(x.parts[1])).wait();
    BOOST_TEST((after.status() == TaskStatus::pending));
    BOOST_TEST((task.status() == TaskStatus::pending));  // ends after the tasks before it on its weak data
    before.open();
    task.wait();
    runtime.wait();
    BOOST_TEST(x.elements.front() == 20);
    BOOST_TEST(x.elements.back() == 10);
  }
}

BOOST_AUTO_TEST_CASE(a_nested_task_fails_if_a_child_fails_and_only_the_data_of_that_child_are_lost) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  const Future task = runtime.submit(
      nested("outer"),
      [&](Whole) {
        runtime.submit([](VectorView<double>) { throw std::runtime_error("wanted"); }, read_write(x.parts[0]));
        runtime.submit(add_one, read_write(x.parts[1]));
      },
      x.whole);
  const Future lost = runtime.submit(add_one, read_write(x.parts[0]));
  const Future other = runtime.submit(add_one, read_write(x.parts[1]));
  BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::kernel_failed, "'outer'", "belongs to it", "wanted"));
  BOOST_CHECK_THROW(lost.wait(), Error);
  other.wait();
  BOOST_CHECK_THROW(runtime.wait(), Error);
  BOOST_TEST((task.status() == TaskStatus::failed));
  BOOST_TEST((lost.status() == TaskStatus::cancelled));
  BOOST_TEST(x.elements.back() == 3);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_throws_takes_its_children_and_its_data_with_it) {
  Runtime runtime(with_workers(1));
  InTwoParts x(runtime);
  std::atomic<bool> child_ran{false};
  const Future task = runtime.submit(
      nested("outer"),
      [&](Whole) {
        runtime.submit([&](VectorView<double>) { child_ran = true; }, read_write(x.parts[0]));
        throw std::runtime_error("wanted");
      },
      x.whole);
  const Future next = runtime.submit(add_one, read_write(x.parts[1]));
  BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::kernel_failed, "'outer'", "wanted"));
  BOOST_CHECK_EXCEPTION(next.wait(), Error, failure(ErrorCode::cancelled, "no valid content"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  BOOST_TEST(!child_ran.load());
}

BOOST_AUTO_TEST_CASE(a_nested_task_that_fails_with_weak_data_ends_after_the_tasks_before_it) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  Gate before;
  runtime.submit(
      [&](VectorView<double> part) {
        before.pass();
        std::fill(part.begin(), part.end(), 7.0);
      },
      write(x.parts[0]));
  const Future task =
      runtime.submit(with_weak({read_write(x.whole)}, "outer"), [] { throw std::runtime_error("wanted"); });
  const Future next = runtime.submit(add_one, read_write(x.parts[0]));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST((task.status() == TaskStatus::pending));
  before.open();
  BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::kernel_failed, "'outer'", "wanted"));
  BOOST_CHECK_THROW(next.wait(), Error);
  BOOST_CHECK_THROW(runtime.wait(), Error);
  // A task that overwrites the data makes them valid again.
  runtime.submit([](VectorView<double> part) { std::fill(part.begin(), part.end(), 1.0); }, write(x.parts[0]));
  runtime.wait();
  BOOST_TEST(x.elements.front() == 1);
}

BOOST_AUTO_TEST_CASE(cancelling_a_nested_task_cancels_its_children_on_all_levels) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  Gate gate;
  std::atomic<bool> waits{false};
  std::atomic<bool> late{false};
  const Future task = runtime.submit(
      nested(),
      [&](Whole) {
        runtime.submit(
            nested(),
            [&](Whole) {
              runtime.submit(
                  [&](VectorView<double>) {
                    waits = true;
                    gate.pass();
                  },
                  read_write(x.parts[0]));
              runtime.submit([&](VectorView<double>) { late = true; }, read_write(x.parts[0]));
            },
            read_write(x.whole));
      },
      x.whole);
  BOOST_TEST_REQUIRE(eventually([&] { return waits.load(); }));
  task.cancel();
  gate.open();
  BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::cancelled, "belongs to"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  BOOST_TEST(!late.load());
}

BOOST_AUTO_TEST_CASE(a_nested_task_that_lacks_its_input_is_cancelled) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  runtime.submit([](VectorView<double>) { throw std::runtime_error("wanted"); }, read_write(x.parts[0]));
  std::atomic<bool> ran{false};
  const Future task = runtime.submit(
      nested(), [&](Whole) { ran = true; }, x.whole);
  BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::cancelled, "wanted"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  BOOST_TEST(!ran.load());
  // A nested task that overwrites the data makes them valid.
  runtime.submit(
      nested(),
      [&](Whole) {
        for (const Handle& part : x.parts) {
          runtime.submit([](VectorView<double> part) { std::fill(part.begin(), part.end(), 3.0); }, write(part));
          runtime.submit(add_one, read_write(part));
        }
      },
      write(x.whole));
  runtime.wait();
  BOOST_TEST(x.elements == std::vector<double>(10, 4.0), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_callback_comes_after_the_children_and_submits_outside) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  double other = 0;
  const auto outside = runtime.scalar(other);
  std::atomic<int> ended{0};
  std::atomic<int> seen{-1};
  TaskOptions options = nested();
  options.callback = [&](const TaskOutcome& outcome) {
    seen = outcome.status == TaskStatus::succeeded ? ended.load() : -2;
    runtime.submit([](double& value) { value = 5; }, outside);  // is no child, so any data may be used
  };
  runtime.submit(
      options,
      [&](Whole) {
        for (int i = 0; i < 10; ++i) runtime.submit([&](VectorView<double>) { ++ended; }, read_write(x.parts[0]));
      },
      x.whole);
  runtime.wait();
  BOOST_TEST(seen == 10);
  BOOST_TEST(other == 5);
}

BOOST_AUTO_TEST_CASE(a_child_that_submits_is_nested_itself) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  double other = 0;
  const auto undeclared = runtime.scalar(other, "other");
  Gate gate;
  std::string message;
  std::string of_commuting;
  runtime.submit(
      nested(),
      [&](Whole) {
        runtime.submit(
            [&](VectorView<double> part) {
              add_one(part);
              runtime.submit(
                  [&](VectorView<double> again) {
                    gate.pass();
                    times_ten(again);
                  },
                  read_write(x.parts[0]));
              message = message_of([&] { runtime.submit([](double&) {}, undeclared); });
            },
            read_write(x.parts[0]));
        runtime.submit(
            [&](VectorView<double>) {
              of_commuting = message_of([&] { runtime.submit(add_one, read_write(x.parts[1])); });
            },
            commute(x.parts[1]));
      },
      x.whole);
  const Future next = runtime.submit(add_one, read_write(x.parts[0]));
  runtime.submit(add_one, read_write(x.parts[1])).wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST((next.status() == TaskStatus::pending));
  gate.open();
  runtime.wait();
  BOOST_TEST(x.elements.front() == 21);
  BOOST_TEST(contains(message, "'other' is not among the data that"));
  BOOST_TEST(contains(of_commuting, "tasks that commute"));
}

BOOST_AUTO_TEST_CASE(tasks_that_commute_and_reduce_are_children) {
  Runtime runtime(with_workers(2));
  double sum = 0;
  const auto data = runtime.scalar(sum, "sum");
  runtime.set_reduction(data, sum_reduction<double>());
  runtime.submit(
      nested(),
      [&](double&) {
        for (int i = 0; i < 100; ++i) runtime.submit([](double& s) { s += 1; }, reduce(data));
        runtime.submit([](double& s) { s *= 2; }, data);
        for (int i = 0; i < 100; ++i) runtime.submit([](double& s) { s += 1; }, commute(data));
      },
      data);
  runtime.wait();
  BOOST_TEST(sum == 300);
}

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

BOOST_AUTO_TEST_CASE(a_kernel_partitions_only_what_no_task_uses) {
  Runtime runtime(with_workers(1));
  std::vector<double> elements(8, 1.0);
  const auto x = runtime.vector(elements, "x");
  const std::array<Block, 1> first{Block{0, 0, 4, 1}};
  const std::array<Block, 1> second{Block{4, 0, 4, 1}};
  std::string used;
  std::string weak;
  std::string read_only;
  runtime.submit(
      nested(),
      [&](VectorView<double>) {
        const Handle part = runtime.partition(x, first)[0];
        runtime.submit(add_one, read_write(part));
        used = message_of([&] { (void)runtime.partition(x, second); });
      },
      x);
  runtime.submit(with_weak({read_write(x)}), [&] { weak = message_of([&] { (void)runtime.partition(x, second); }); });
  runtime.submit(
      nested(), [&](VectorView<const double>) { read_only = message_of([&] { (void)runtime.partition(x, second); }); },
      x);
  runtime.wait();
  BOOST_TEST(contains(used, "before the children are submitted"));
  BOOST_TEST(contains(weak, "whose kernel itself declares the data"));
  BOOST_TEST(contains(read_only, "declares it in mode read"));
  BOOST_TEST(elements[3] == 2);
  BOOST_TEST(runtime.partition(x, second).size() == 1U);
}

BOOST_AUTO_TEST_CASE(data_that_the_nested_task_does_not_declare_are_refused) {
  Runtime runtime(with_workers(1));
  InTwoParts x(runtime);
  double other = 0;
  const auto undeclared = runtime.scalar(other, "other");
  std::string messages;
  const auto refusal = [&](const auto& call) { messages += message_of(call) + "\n"; };
  runtime.submit(
      nested("outer"),
      [&](VectorView<const double>) {
        refusal([&] { runtime.submit([](double&) {}, undeclared); });
        refusal([&] { runtime.submit(add_one, read_write(x.parts[0])); });
        refusal([&] { runtime.submit(with_weak({read_write(x.parts[0])}), [] {}); });
        refusal([&] { (void)runtime.partition(x.parts[0], std::array<Block, 1>{Block{0, 0, 1, 1}}); });
        refusal([&] { runtime.discard(x.parts[0]); });
      },
      x.whole);
  runtime.wait();
  BOOST_TEST_MESSAGE(messages);
  BOOST_TEST(contains(messages, "'other' is not among the data that"));
  BOOST_TEST(contains(messages, "TaskOptions::weak"));
  BOOST_TEST(contains(messages, "declares it in mode read"));
  BOOST_TEST(contains(messages, "discarded where it was registered only"));
  BOOST_TEST(std::ranges::count(messages, '\n') == 5);
  BOOST_TEST(!contains(messages, "\n\n"));
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

BOOST_AUTO_TEST_CASE(impossible_nested_tasks_are_refused) {
  Runtime runtime(with_workers(1));
  InTwoParts x(runtime);
  const auto invalid = [](auto... parts) { return failure(ErrorCode::invalid_argument, parts...); };
  TaskOptions weak;
  weak.weak = {read_write(x.whole)};
  BOOST_CHECK_EXCEPTION(runtime.submit(weak, [] {}), Error, invalid("set TaskOptions::nested"));
  BOOST_CHECK_EXCEPTION(runtime.submit(
                            nested(), [](Whole) {}, commute(x.whole)),
                        Error, invalid("in mode commute", "read_write"));
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({Access(x.whole)}), [] {}), Error, invalid("'x' is weak", "a mode"));
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({commute(x.whole)}), [] {}), Error, invalid("'x' is weak"));
  BOOST_CHECK_EXCEPTION(runtime.submit(
                            with_weak({read_write(x.parts[0])}), [](Whole) {}, x.whole),
                        Error, failure(ErrorCode::conflicting_access, "is weak"));
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({read(x.whole), read(x.parts[0])}), [] {}), Error,
                        failure(ErrorCode::conflicting_access, "is weak"));
  Vector<double> gone = runtime.allocate_vector<double>(3);
  const Handle handle = gone;
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({read(gone)}), [] {}), Error,
                        invalid("weak data", "no valid content"));
  gone.release();
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({write(handle)}), [] {}), Error,
                        failure(ErrorCode::invalid_handle, "weak data"));
  const std::vector<double> constant(3, 1.0);
  const auto fixed = runtime.vector(constant, "fixed");
  BOOST_CHECK_EXCEPTION(runtime.submit(with_weak({read_write(fixed)}), [] {}), Error, invalid("'fixed'", "const"));
  const Codelet in_pieces = Codelet("in pieces", {AccessMode::read_write})
                                .pieces([](VectorView<double> x) { return static_cast<std::int64_t>(x.size()); },
                                        [](std::int64_t, VectorView<double>) {});
  BOOST_CHECK_EXCEPTION(runtime.submit(in_pieces, {read_write(x.whole)}, kNoArguments, nested()), Error,
                        invalid("made of pieces"));
  RecordedGraph graph = runtime.record([&] { runtime.submit(add_one, read_write(x.whole)); }, "steps");
  std::string message;
  runtime.submit(
      nested(), [&](Whole) { message = message_of([&] { graph.run(); }); }, x.whole);
  runtime.wait();
  BOOST_TEST(contains(message, "'steps' was run in the kernel of a nested task"));
}

BOOST_AUTO_TEST_CASE(a_child_that_would_wait_for_its_parent_is_refused) {
  Runtime runtime(with_workers(1));
  InTwoParts x(runtime);
  Gate gate;
  Future before;
  Future task;
  Future next;
  std::vector<std::string> messages;
  const auto after = [&](const Future& future) {
    TaskOptions options;
    options.after = {future};
    messages.push_back(message_of([&] { runtime.submit(options, [] {}); }));
  };
  before = runtime.submit([&](Whole) { gate.pass(); }, x.whole);
  task = runtime.submit(
      nested("outer"),
      [&](Whole) {
        after(before);
        after(task);
        after(next);
        const Future child = runtime.submit(
            nested("inner"),
            [&](Whole) {
              after(task);
              after(next);
            },
            read_write(x.whole));
        after(child);
      },
      x.whole);
  next = runtime.submit(add_one, read_write(x.whole));
  gate.open();
  runtime.wait();
  const std::vector<bool> refused{false, true, true, false, true, true};
  BOOST_TEST_REQUIRE(messages.size() == refused.size());
  for (std::size_t i = 0; i < refused.size(); ++i) {
    BOOST_TEST(contains(messages[i], "may wait for, the nested task") == refused[i], messages[i]);
  }
}

BOOST_AUTO_TEST_CASE(temporary_data_may_leave_when_nobody_uses_them) {
  Runtime runtime(with_workers(2));
  Scalar<double> kept;
  Gate gate;
  std::atomic<bool> submitted{false};
  const Future task = runtime.submit(nested(), [&] {
    kept = runtime.allocate_scalar<double>("kept");
    runtime.submit(
        [&gate](double& value) {
          gate.pass();
          value = 4;
        },
        write(kept));
    submitted = true;
  });
  BOOST_TEST_REQUIRE(eventually([&] { return submitted.load(); }));
  BOOST_CHECK_EXCEPTION(runtime.submit([](double&) {}, kept), Error,
                        failure(ErrorCode::invalid_argument, "'kept'", "wait for the nested task first"));
  gate.open();
  task.wait();
  runtime.submit([](double& value) { value += 1; }, kept);
  BOOST_TEST(runtime.acquire(kept, AccessMode::read).vector<double>()[0] == 5);
}

BOOST_AUTO_TEST_CASE(temporary_data_are_not_handed_to_a_child_that_does_not_declare_them) {
  Runtime runtime(with_workers(1));
  std::string message;
  std::string unwritten;
  Scalar<double> t;
  runtime.submit(nested(), [&] {
    t = runtime.allocate_scalar<double>("t");
    const Handle handle = t;
    runtime.submit([](double& value) { value = 1; }, write(t));
    runtime.submit(nested(),
                   [&, handle] { message = message_of([&] { runtime.submit([](const double&) {}, handle); }); });
  });
  runtime.submit(with_weak({}), [&] {
    Vector<double> own = runtime.allocate_vector<double>(4, "own");
    runtime.submit(with_weak({write(own)}), [&, handle = own.handle()] {
      unwritten = message_of([&] { runtime.submit(add_one, read_write(handle)); });
      runtime.submit([](VectorView<double> x) { std::fill(x.begin(), x.end(), 1.0); }, write(handle));
      runtime.submit(add_one, read_write(handle));
    });
  });
  runtime.wait();
  BOOST_TEST(contains(message, "'t' is not among the data"));
  BOOST_TEST(contains(unwritten, "no child writes it before"));
}

BOOST_AUTO_TEST_CASE(memory_of_a_kernel_that_its_children_use_is_missed_loudly) {
  Runtime runtime(with_workers(1));
  const Future task = runtime.submit(nested("outer"), [&] {
    std::vector<double> local(8, 1.0);
    const auto data = runtime.vector(local, "local");
    runtime.submit(add_one, read_write(data));
  });
  BOOST_CHECK_EXCEPTION(task.wait(), Error, failure(ErrorCode::wait_in_kernel, "'outer'", "'local'"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_CASE(why_names_the_child_that_a_nested_task_waits_for) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  Gate gate;
  std::atomic<bool> waits{false};
  runtime.submit(
      nested("outer"),
      [&](Whole) {
        TaskOptions options;
        options.name = "inner";
        runtime.submit(
            options,
            [&](VectorView<double>) {
              waits = true;
              gate.pass();
            },
            read_write(x.parts[0]));
      },
      x.whole);
  runtime.submit(add_one, read_write(x.parts[0]));
  BOOST_TEST_REQUIRE(eventually([&] { return waits.load(); }));
  const std::string text = runtime.why().to_text();
  BOOST_TEST_MESSAGE(text);
  BOOST_TEST(contains(text, "inner"));
  gate.open();
  runtime.wait();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
