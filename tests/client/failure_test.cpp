// Tests that every failure is reported, and that the runtime can still be used afterwards.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"

namespace troupe::tests {

namespace failures {

struct Fixture {
  Runtime runtime{with_workers(2)};
  double x = 1;
  double y = 1;
  Data dx = runtime.scalar(x, "x");
  Data dy = runtime.scalar(y, "y");
  Codelet twice = Codelet("twice", {AccessMode::read_write}).cpu([](double& x) { x *= 2; });
  Codelet set = Codelet("set", {AccessMode::write}).cpu([](double& x, double to) { x = to; });
  Codelet copy = Codelet("copy", {AccessMode::read, AccessMode::write}).cpu([](const double& a, double& b) { b = a; });
  Codelet fails =
      Codelet("fails", {AccessMode::read_write}).cpu([](double&) { throw std::runtime_error("disk full"); });

  /// Acquires the data `dx`. Tasks that use `dx` can start only after the returned object has been destroyed.
  HostAccess closed() { return runtime.acquire(dx, AccessMode::read_write); }
};

}  // namespace failures

BOOST_FIXTURE_TEST_SUITE(failures, Fixture)

BOOST_AUTO_TEST_CASE(the_error_names_task_codelet_device_and_cause) {
  const Future future = runtime.submit(fails, {dx}, {}, {.name = "step 7"});
  const auto all = failure(ErrorCode::kernel_failed, "'step 7'", "fails", "cpu core", "disk full");
  BOOST_CHECK_EXCEPTION(future.wait(), Error, all);
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, all);
  runtime.wait();
  BOOST_CHECK_EXCEPTION(future.wait(), Error, all);
}

BOOST_AUTO_TEST_CASE(whatever_is_thrown_is_a_failure) {
  const Codelet number = Codelet("number", {AccessMode::read_write}).cpu([](double&) { throw 42; });
  runtime.submit(number, {dx});
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::kernel_failed, "number", "no std::exception"));
}

BOOST_AUTO_TEST_CASE(a_kernel_may_say_what_kind_of_failure_it_is) {
  const Codelet indefinite = Codelet("indefinite", {AccessMode::read_write}).cpu([](double&) {
    throw Error(ErrorCode::numerical, "minor 3 is not positive");
  });
  runtime.submit(indefinite, {dx});
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::numerical, "minor 3"));
}

BOOST_AUTO_TEST_CASE(dependents_are_cancelled_and_say_why_and_the_rest_completes) {
  double z = 1;
  const Data dz = runtime.scalar(z, "z");
  const Future failed = runtime.submit(fails, {dx}, {}, {.name = "root"});
  const Future dependent = runtime.submit(copy, {dx, dy}, {}, {.name = "leaf"});
  const Future independent = runtime.submit(twice, {dz});
  BOOST_CHECK_EXCEPTION(dependent.wait(), Error, failure(ErrorCode::cancelled, "'leaf'", "'x'", "'root'", "disk full"));
  independent.wait();
  BOOST_TEST(z == 2);
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error,
                        failure(ErrorCode::kernel_failed, "1 task failed, 1 task was cancelled", "disk full"));
  BOOST_TEST((failed.status() == TaskStatus::failed));
  BOOST_TEST((dependent.status() == TaskStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(data_stay_invalid_until_they_are_overwritten) {
  runtime.submit(fails, {dx});
  BOOST_CHECK_EXCEPTION(runtime.wait(dx), Error,
                        failure(ErrorCode::cancelled, "'x' has no valid content", "disk full"));
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(dx, AccessMode::read_write), Error,
                        failure(ErrorCode::cancelled));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  BOOST_CHECK_THROW(runtime.wait(dx), Error);
  const Future still = runtime.submit(twice, {dx});
  BOOST_CHECK_THROW(still.wait(), Error);
  runtime.submit(set, {dx}, args(5.0));
  runtime.submit(twice, {dx});
  runtime.wait(dx);
  BOOST_TEST(x == 10);
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::cancelled));
  runtime.submit(fails, {dx});
  {
    HostAccess access = runtime.acquire(dx, AccessMode::write);
    access.vector<double>()[0] = 3;
  }
  runtime.submit(twice, {dx});
  runtime.wait(dx);
  BOOST_TEST(x == 6);
}

BOOST_AUTO_TEST_CASE(the_runtime_is_usable_after_many_failures) {
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 100; ++i) runtime.submit(i % 10 == 0 ? fails : twice, {i % 2 == 0 ? dx : dy});
    BOOST_CHECK_THROW(runtime.wait(), Error);
    runtime.submit(set, {dx}, args(1.0));
    runtime.submit(set, {dy}, args(1.0));
    runtime.wait();
  }
  BOOST_TEST(x == 1);
}

BOOST_AUTO_TEST_CASE(an_exception_between_submit_and_wait_leaves_no_task_on_dead_data) {
  std::atomic<int> ran{0};
  for (int round = 0; round < 20; ++round) {
    try {
      Runtime inner(with_workers(2));
      std::vector<double> numbers(1000, 1);
      const Data data = inner.vector(numbers);
      const TiledMatrix<double> tiled(inner, 8, 8, 4);
      const Codelet slow = Codelet("slow", {AccessMode::read_write}).cpu([&](VectorView<double> v) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        for (double& element : v) element += 1;
        ++ran;
      });
      for (int i = 0; i < 5; ++i) inner.submit(slow, {data});
      throw std::runtime_error("the program's own");
    } catch (const std::runtime_error& error) {
      BOOST_TEST(error.what() == "the program's own");
    }
  }
  BOOST_TEST(ran.load() == 100);
}

BOOST_AUTO_TEST_CASE(a_failure_that_nobody_waits_for_does_not_hurt_the_end) {
  Runtime inner(with_workers(2));
  double z = 1;
  const Data dz = inner.scalar(z);
  inner.submit(fails, {dz});
  for (int i = 0; i < 10; ++i) inner.submit(twice, {dz});
}

BOOST_AUTO_TEST_CASE(cancelling_all_ends_what_has_not_started) {
  std::atomic<bool> running{false};
  std::atomic<bool> go{false};
  const Codelet waits = Codelet("waits", {AccessMode::read_write}).cpu([&](double& x) {
    running = true;
    while (!go.load()) std::this_thread::yield();
    x = 3;
  });
  const Future first = runtime.submit(waits, {dx});
  std::vector<Future> others;
  for (int i = 0; i < 50; ++i) others.push_back(runtime.submit(twice, {dx}));
  while (!running.load()) std::this_thread::yield();
  runtime.cancel();
  go = true;
  first.wait();
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error,
                        failure(ErrorCode::cancelled, "50 tasks were cancelled", "the program cancelled"));
  for (const Future& other : others) BOOST_TEST((other.status() == TaskStatus::cancelled));
  BOOST_TEST(x == 3);
  runtime.submit(set, {dx}, args(1.0));
  runtime.submit(twice, {dx}).wait();
  BOOST_TEST(x == 2);
}

BOOST_AUTO_TEST_CASE(cancelling_one_task_cancels_its_dependents) {
  HostAccess hold = closed();
  const Future first = runtime.submit(twice, {dx});
  const Future second = runtime.submit(copy, {dx, dy});
  const Future other = runtime.submit(twice, {dx}, {}, {.name = "third"});
  first.cancel();
  hold.give_back();
  BOOST_CHECK_EXCEPTION(first.wait(), Error, failure(ErrorCode::cancelled, "the program cancelled it"));
  BOOST_CHECK_EXCEPTION(second.wait(), Error, failure(ErrorCode::cancelled, "'x'"));
  BOOST_CHECK_EXCEPTION(other.wait(), Error, failure(ErrorCode::cancelled, "'third'"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  first.cancel();  // The task has ended already, so this must have no effect.
}

BOOST_AUTO_TEST_CASE(an_explicit_dependency_that_fails_cancels) {
  const Future failed = runtime.submit(fails, {dx});
  const Future after = runtime.submit(set, {dy}, args(7.0), {.after = {failed}});
  BOOST_CHECK_EXCEPTION(after.wait(), Error, failure(ErrorCode::cancelled, "after"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  const Future long_after = runtime.submit(set, {dy}, args(7.0), {.after = {failed}});
  BOOST_CHECK_THROW(long_after.wait(), Error);
  BOOST_TEST(y == 1);
}

BOOST_AUTO_TEST_CASE(callbacks_hear_of_failures_and_may_fail_themselves) {
  std::atomic<int> failed{0};
  std::atomic<int> cancelled{0};
  const auto note = [&](const TaskOutcome& outcome) {
    if (outcome.status == TaskStatus::failed) ++failed;
    if (outcome.status == TaskStatus::cancelled) ++cancelled;
    BOOST_CHECK(contains(outcome.message, "disk full"));
  };
  runtime.submit(fails, {dx}, {}, {.callback = note});
  runtime.submit(twice, {dx}, {}, {.callback = note});
  runtime.submit(twice, {dx}, {}, {.callback = note});
  BOOST_CHECK_THROW(runtime.wait(), Error);
  BOOST_TEST(failed.load() == 1);
  BOOST_TEST(cancelled.load() == 2);
  const Future fine =
      runtime.submit(twice, {dy}, {},
                     {.name = "fine", .callback = [](const TaskOutcome&) { throw std::runtime_error("called back"); }});
  fine.wait();
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::callback_failed, "'fine'", "called back"));
  BOOST_TEST(y == 2);
}

BOOST_AUTO_TEST_CASE(a_reduction_with_a_failed_part_is_not_valid) {
  runtime.set_reduction(dx, sum_reduction<double>());
  const Codelet add = Codelet("add", {AccessMode::reduce}).cpu([](double& x, int i) {
    x += 1;
    if (i == 20) throw std::runtime_error("twenty");
  });
  for (int i = 0; i < 40; ++i) runtime.submit(add, {dx}, args(i));
  BOOST_CHECK_EXCEPTION(runtime.wait(dx), Error, failure(ErrorCode::cancelled, "twenty"));
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::kernel_failed, "twenty"));
  BOOST_TEST(x == 1);
  runtime.submit(set, {dx}, args(10.0));
  for (int i = 0; i < 5; ++i) runtime.submit(add, {dx}, args(i));
  runtime.wait();
  BOOST_TEST(x == 15);
}

BOOST_AUTO_TEST_CASE(an_initializer_or_combiner_that_throws_is_reported) {
  const auto throws = [](auto&&...) { throw std::runtime_error("no neutral element"); };
  const Codelet add = Codelet("add", {AccessMode::reduce}).cpu([](double& x) { x += 1; });
  runtime.set_reduction(dx, {throws, sum_reduction<double>().combine});
  runtime.set_reduction(dy, {sum_reduction<double>().initialize, throws});
  runtime.submit(add, {dx});
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::kernel_failed, "codelet add", "no neutral element"));
  runtime.submit(add, {dy});
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::kernel_failed, "combine", "no neutral element"));
  BOOST_CHECK_THROW(runtime.wait(dy), Error);
}

BOOST_AUTO_TEST_CASE(what_commutes_with_a_failed_task_does_not_use_what_it_left) {
  const Codelet add =
      Codelet("add", {AccessMode::commute, AccessMode::read_write}).cpu([](double& x, double& y, int i) {
        x += 1;
        if (i == 30) throw std::runtime_error("half done");
        y = x;
      });
  std::vector<double> seen(60, 0);
  std::vector<Data> data;
  for (double& element : seen) data.push_back(runtime.scalar(element));
  std::vector<Future> futures;
  for (int i = 0; i < 60; ++i) futures.push_back(runtime.submit(add, {dx, data[static_cast<std::size_t>(i)]}, args(i)));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  BOOST_CHECK_THROW(runtime.wait(dx), Error);
  double most = 0;
  for (const double element : seen) most = std::max(most, element);
  int succeeded = 0;
  for (const Future& future : futures) succeeded += future.status() == TaskStatus::succeeded ? 1 : 0;
  BOOST_TEST(most == succeeded + 1);  // `most` begins at 1, and no task ran after the failure.
}

BOOST_AUTO_TEST_CASE(memory_that_there_is_not) {
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.allocate_vector<double>(std::int64_t{1} << 58), Error,
                        failure(ErrorCode::out_of_memory));
  runtime.submit(twice, {dx}).wait();
}

BOOST_AUTO_TEST_CASE(in_deterministic_mode_a_wait_that_cannot_end_is_an_error) {
  Runtime single(deterministic(2));
  double z = 1;
  const Data dz = single.scalar(z);
  {
    const HostAccess hold = single.acquire(dz, AccessMode::read_write);
    const Future future = single.submit(twice, {dz});
    BOOST_CHECK_EXCEPTION(single.wait(), Error, failure(ErrorCode::invalid_argument, "never end"));
    BOOST_CHECK_EXCEPTION(future.wait(), Error, failure(ErrorCode::invalid_argument, "never end"));
  }
  single.wait();
  BOOST_TEST(z == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
