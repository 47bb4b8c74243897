// Tests of nested tasks: tasks that consist of the tasks that their kernels submit.
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

BOOST_AUTO_TEST_SUITE(nested_tasks)

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

BOOST_AUTO_TEST_CASE(children_reduce_into_data_that_the_kernel_makes) {
  Runtime runtime(with_workers(2));
  double sum = 0;
  std::string late;
  const auto total = runtime.scalar(sum, "total");
  for (int round = 0; round < 20; ++round) {
    runtime.submit(
        nested(),
        [&](double& total) {
          const auto own = runtime.allocate_scalar<double>("own");
          runtime.submit([](double& s) { s = 0; }, write(own));
          late = message_of([&] { runtime.set_reduction(own, sum_reduction<double>()); });
          const auto other = runtime.allocate_scalar<double>("other");
          runtime.set_reduction(other, sum_reduction<double>());
          runtime.submit([](double& s) { s = 0; }, write(other));
          for (int i = 0; i < 50; ++i) runtime.submit([](double& s) { s += 1; }, reduce(other));
          const HostAccess access = runtime.acquire(other, AccessMode::read);
          total += access.vector<double>()[0];
        },
        total);
  }
  runtime.wait();
  BOOST_TEST(sum == 1000);
  BOOST_TEST((late.empty() || contains(late, "own runtime")));
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

BOOST_AUTO_TEST_CASE(weak_data_that_a_child_has_written_stay_so_behind_nested_readers) {
  Runtime runtime(with_workers(2));
  const auto fill = [](VectorView<double> x) { std::ranges::fill(x, 5.0); };
  const auto check = [](VectorView<const double> x) { BOOST_TEST_REQUIRE(x[0] == 5); };
  const auto x = runtime.allocate_vector<double>(4);
  const auto y = runtime.allocate_vector<double>(4);
  runtime.submit(with_weak({write(x), write(y)}), [&] {
    runtime.submit(fill, write(x));
    runtime.submit(fill, write(y));
    // The writers have ended when the nested readers come.
    runtime.wait();
    runtime.submit(with_weak({read(x)}), [&] { runtime.submit(check, x); });
    runtime.submit(
        nested(), [&](VectorView<const double>) { runtime.submit(check, y); }, y);
    runtime.wait();
    runtime.submit(check, x);
    runtime.submit(check, y);
  });
  runtime.wait();
  BOOST_TEST(runtime.acquire(x, AccessMode::read).vector<double>()[3] == 5);
  BOOST_TEST(runtime.acquire(y, AccessMode::read).vector<double>()[3] == 5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
