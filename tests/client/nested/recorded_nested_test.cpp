// Tests of nested tasks in recordings.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/nested/divided_data.hpp"
#include "tests/client/nested/nested_support.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(recorded_nested)

BOOST_AUTO_TEST_CASE(each_run_calls_the_kernel_and_waits_for_its_children) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  int calls = 0;
  std::atomic<int> outcomes{0};
  TaskOptions own = with_weak({read_write(x.whole)}, "outer");
  // The callback counts its own calls.
  own.callback = [&outcomes, n = 0](const TaskOutcome& outcome) mutable {
    outcomes = outcome.status == TaskStatus::succeeded ? ++n : 100;
  };
  const RecordedGraph graph = runtime.record([&] {
    runtime.submit(add_one, read_write(x.parts[0]));
    runtime.submit(own, [&] {
      ++calls;
      // The second run has other children than the first.
      for (int i = 0; i < calls; ++i) runtime.submit(add_one, read_write(x.parts[0]));
      runtime.submit(with_weak({read_write(x.parts[1])}), [&] { runtime.submit(add_one, read_write(x.parts[1])); });
    });
    runtime.submit(times_ten, x.whole);
  });
  BOOST_TEST(calls == 0);
  for (int run = 1; run <= 3; ++run) graph.run();
  runtime.wait();
  double first = 1;
  double second = 1;
  for (int run = 1; run <= 3; ++run) {
    first = (first + 1 + run) * 10;
    second = (second + 1) * 10;
  }
  BOOST_TEST(calls == 3);
  BOOST_TEST(outcomes == 3);
  BOOST_TEST(x.elements.front() == first);
  BOOST_TEST(x.elements.back() == second);
}

BOOST_AUTO_TEST_CASE(a_run_ends_with_the_last_child) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  Gate gate;
  const RecordedGraph graph = runtime.record([&] {
    runtime.submit(
        nested(),
        [&](VectorView<double> own) {
          own[0] = 5;
          runtime.submit(
              [&](VectorView<double> part) {
                gate.pass();
                add_one(part);
              },
              read_write(x.parts[0]));
        },
        x.whole);
  });
  const Future run = graph.run();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST((run.status() == TaskStatus::pending));
  gate.open();
  run.wait();
  BOOST_TEST(x.elements.front() == 6);
}

BOOST_AUTO_TEST_CASE(a_run_exchanges_only_what_no_nested_task_declares) {
  Runtime runtime(with_workers(2));
  std::vector<double> a(4, 1.0);
  std::vector<double> b(4, 2.0);
  std::vector<double> c(4, 3.0);
  const auto first = runtime.vector(a, "first");
  const auto second = runtime.vector(b, "second");
  const auto third = runtime.vector(c, "third");
  const RecordedGraph graph = runtime.record([&] {
    runtime.submit(with_weak({read_write(first)}), [&] { runtime.submit(add_one, read_write(first)); });
    runtime.submit(times_ten, second);
  });
  graph.run({{second, third}});
  runtime.wait();
  BOOST_TEST(a[0] == 2);
  BOOST_TEST(b[0] == 2);
  BOOST_TEST(c[0] == 30);
  BOOST_CHECK_EXCEPTION(graph.run({{first, third}}), Error,
                        failure(ErrorCode::invalid_argument, "'first' cannot be exchanged", "nested task"));
}

namespace {

/// Sorts by halves; the kernel divides what it has.
void sort(Runtime& runtime, const Handle& part) {
  runtime.submit(
      nested(),
      [&runtime, part](VectorView<double> x) {
        const auto size = static_cast<std::int64_t>(x.size());
        if (size < 4) return std::sort(x.begin(), x.end());
        const std::int64_t half = size / 2;
        std::nth_element(x.begin(), x.begin() + half, x.end());
        const std::array<Block, 2> halves{Block{0, 0, half, 1}, Block{half, 0, size - half, 1}};
        for (const Handle& one : runtime.partition(part, halves)) sort(runtime, one);
      },
      read_write(part));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_kernel_divides_its_data_anew_in_each_run) {
  Runtime runtime(with_workers(2));
  std::vector<double> elements(100);
  const auto x = runtime.vector(elements, "x");
  const RecordedGraph graph = runtime.record([&] { sort(runtime, x); });
  for (int run = 0; run < 3; ++run) {
    {
      const HostAccess access = runtime.acquire(x, AccessMode::write);
      for (std::size_t i = 0; i < 100; ++i) access.vector<double>()[i] = static_cast<double>(i * 37 % 100);
    }
    if (run == 1) {
      sort(runtime, x);
    } else {
      graph.run();
    }
    runtime.wait();
    BOOST_TEST(std::ranges::is_sorted(elements));
  }
}

BOOST_AUTO_TEST_CASE(failures_end_the_run_and_what_follows) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  bool fails = true;
  bool child_fails = false;
  std::atomic<int> followed{0};
  const RecordedGraph graph = runtime.record([&] {
    const Future outer = runtime.submit(with_weak({write(x.whole)}, "outer"), [&] {
      runtime.submit(
          [&](VectorView<double> part) {
            if (child_fails) throw std::runtime_error("child");
            std::ranges::fill(part, 3.0);
          },
          write(x.parts[0]));
      runtime.submit([](VectorView<double> part) { std::ranges::fill(part, 4.0); }, write(x.parts[1]));
      if (fails) throw std::runtime_error("parent");
    });
    TaskOptions after;
    after.after = {outer};
    runtime.submit(after, [&] { ++followed; });
  });
  const Future failed = graph.run();
  BOOST_CHECK_EXCEPTION(failed.wait(), Error, failure(ErrorCode::kernel_failed, "parent"));
  BOOST_CHECK_EXCEPTION((void)runtime.acquire(x.whole, AccessMode::read), Error,
                        failure(ErrorCode::cancelled, "no valid content"));
  fails = false;
  child_fails = true;
  BOOST_CHECK_EXCEPTION(graph.run().wait(), Error, failure(ErrorCode::kernel_failed, "child"));
  runtime.acquire(x.parts[1], AccessMode::read).give_back();
  BOOST_TEST(followed == 0);
  child_fails = false;
  graph.run().wait();
  BOOST_TEST(followed == 1);
  BOOST_TEST(x.elements.front() == 3);
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_CASE(a_run_that_is_cancelled_tells_the_kernels_inside) {
  Runtime runtime(with_workers(2));
  InTwoParts x(runtime);
  Gate gate;
  std::atomic<bool> told{false};
  const RecordedGraph graph = runtime.record([&] {
    runtime.submit(with_weak({read_write(x.whole)}), [&] {
      runtime.submit(
          [&](const KernelContext& context, VectorView<double>) {
            gate.pass();
            told = context.cancelled();
          },
          read_write(x.parts[0]));
    });
  });
  const Future run = graph.run();
  BOOST_TEST_REQUIRE(eventually([&] { return gate.waiting() > 0; }));
  run.cancel();
  gate.open();
  BOOST_CHECK_THROW(run.wait(), Error);
  BOOST_TEST(told.load());
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_CASE(why_shows_the_task_that_stands_for_a_recorded_one_once) {
  Runtime runtime(with_workers(1));
  InTwoParts x(runtime);
  Gate gate;
  const RecordedGraph graph = runtime.record(
      [&] {
        runtime.submit(with_weak({read_write(x.whole)}, "outer"),
                       [&] { runtime.submit([&](VectorView<double>) { gate.pass(); }, read_write(x.parts[0])); });
        TaskOptions named;
        named.name = "follower";
        runtime.submit(named, add_one, read_write(x.parts[0]));
      },
      "steps");
  graph.run();
  BOOST_TEST_REQUIRE(eventually([&] { return gate.waiting() > 0; }));
  const WhyReport report = runtime.why();
  const std::string text = report.to_text();
  gate.open();
  runtime.wait();
  BOOST_TEST_MESSAGE(text);
  BOOST_TEST(report.counts.in_flight == 4U);
  BOOST_TEST(report.counts.running == 1U);
  // The run, the nested task and its follower wait.
  BOOST_TEST(report.counts.waiting == 3U);
  BOOST_TEST(report.counts.ready == 0U);
}

BOOST_AUTO_TEST_CASE(a_child_that_would_wait_for_the_run_around_it_is_refused) {
  Runtime runtime(with_workers(1));
  InTwoParts x(runtime);
  Future run;
  Gate gate;
  std::string message;
  const RecordedGraph graph = runtime.record([&] {
    runtime.submit(with_weak({read_write(x.whole)}), [&] {
      gate.pass();
      TaskOptions after;
      after.after = {run};
      message = message_of([&] { runtime.submit(after, [] {}); });
    });
  });
  run = graph.run();
  gate.open();
  runtime.wait();
  BOOST_TEST(contains(message, "may wait for, the nested task"));
}

BOOST_AUTO_TEST_CASE(impossible_nested_tasks_are_refused_when_they_are_recorded) {
  Runtime runtime(with_workers(1));
  InTwoParts x(runtime);
  const auto invalid = [](auto... parts) { return failure(ErrorCode::invalid_argument, parts...); };
  const auto record = [&](const TaskOptions& options) {
    (void)runtime.record([&] { runtime.submit(options, [] {}); });
  };
  TaskOptions weak;
  weak.weak = {read_write(x.whole)};
  BOOST_CHECK_EXCEPTION(record(weak), Error, invalid("set TaskOptions::nested"));
  BOOST_CHECK_EXCEPTION(record(with_weak({commute(x.whole)})), Error, invalid("'x' is weak"));
  BOOST_CHECK_EXCEPTION(record(with_weak({read(x.whole), read(x.parts[0])})), Error,
                        failure(ErrorCode::conflicting_access, "is weak"));
}

BOOST_AUTO_TEST_CASE(kernels_divide_data_while_the_program_records_tasks_on_them) {
  Runtime runtime(with_workers(3));
  Divided data(runtime);
  const Handle halo = data.middle();
  Gate gate;
  data.submit(8, gate);
  data.submit(5, gate);
  ReaderThenWriter before;
  ReaderThenWriter between;
  const RecordedGraph graph = runtime.record([&] {
    before.read(runtime, halo);
    before.write(runtime, data.whole);
    between.read(runtime, halo);
    gate.open();
    data.wait_until_divided(2);
    between.write(runtime, data.whole, 7);
  });
  runtime.wait();
  BOOST_TEST(data.elements[0] == 3);
  graph.run();
  runtime.wait();
  BOOST_TEST(before.seen == 3);
  BOOST_TEST(between.seen == 100);
  BOOST_TEST(!before.early);
  BOOST_TEST(!between.early);
  BOOST_TEST(data.elements[Divided::kSize - 1] == 7);
}

namespace {

/// Records what `writes` submits and, when a kernel has divided the data meanwhile, a reader of a halo part. Runs the
/// recording once, and returns the element that the reader saw.
template <class Writes>
double seen_behind(Runtime& runtime, Divided& data, const Writes& writes) {
  const Handle halo = data.middle();
  Gate gate;
  data.submit(8, gate);
  double seen = 0;
  const RecordedGraph graph = runtime.record([&] {
    writes();
    gate.open();
    data.wait_until_divided(1);
    runtime.submit([&seen](VectorView<const double> x) { seen = x[0]; }, halo);
  });
  runtime.wait();
  graph.run();
  runtime.wait();
  return seen;
}

}  // namespace

BOOST_AUTO_TEST_CASE(recorded_readers_of_halo_parts_wait_for_writers_that_were_recorded_before_a_division) {
  Runtime runtime(with_workers(2));
  Divided data(runtime);
  const auto writes = [&] {
    runtime.submit(
        [](VectorView<double> x) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          for (double& element : x) element = 9;
        },
        read_write(data.whole));
  };
  BOOST_TEST(seen_behind(runtime, data, writes) == 9);
}

BOOST_AUTO_TEST_CASE(a_recorded_reduction_ends_before_a_kernel_divides_its_data) {
  Runtime runtime(with_workers(2));
  Divided data(runtime);
  runtime.set_reduction(data.whole, sum_reduction<double>());
  const auto writes = [&] {
    for (int i = 0; i < 3; ++i) runtime.submit(add_one, reduce(data.whole));
  };
  BOOST_TEST(seen_behind(runtime, data, writes) == 5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
