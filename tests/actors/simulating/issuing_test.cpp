/// Tests, in virtual time, tasks that are issued to a GPU before their predecessors end. A launch takes 4 us, and 20 us
/// pass until the host notices the end of a task.
#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <utility>

#include "tests/actors/simulating/machine_by_hand.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(issuing)

namespace {

using namespace by_hand;

constexpr microseconds kLaunch(4);
constexpr microseconds kNotice(20);

SimulationOptions with_host_times(std::size_t issue_ahead, std::size_t gpus = 1) {
  SimulationOptions options = simulation(gpus);
  options.accelerators.launch = kLaunch;
  options.accelerators.notice = kNotice;
  options.accelerators.ahead.issue = issue_ahead;
  return options;
}

std::uint64_t issued_ahead(TestRuntime& runtime) {
  std::uint64_t sum = 0;
  for (const WorkerReport& worker : runtime->report().workers) sum += worker.counts.issued_ahead;
  return sum;
}

/// Runs ten tasks on the GPU that update the same data. `ahead` becomes the number of tasks that were issued ahead.
std::vector<Span> chain(std::size_t issue_ahead, std::uint64_t& ahead, const std::string& policy = "lws") {
  TestRuntime runtime(in_virtual_time(with_host_times(issue_ahead), policy));
  Values x(kElements);
  const Handle handle = registered(runtime, x);
  const Codelet update = add_one(kUpdate, Where::gpus);
  for (int i = 0; i < 10; ++i) runtime.submit(update, {handle});
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(first_of(runtime, handle) == 10);
  ahead = issued_ahead(runtime);
  return spans(runtime->take_trace());
}

BOOST_AUTO_TEST_CASE(without_it_each_link_goes_back_to_the_host) {
  std::uint64_t ahead = 0;
  const std::vector<Span> ran = chain(0, ahead);
  for (std::size_t i = 1; i < ran.size(); ++i) {
    BOOST_TEST((ran[i].start - ran[i - 1].end).count() == Duration(kLaunch + kNotice).count());
  }
  BOOST_TEST(ahead == 0U);
}

BOOST_AUTO_TEST_CASE(a_chain_runs_on_without_the_host) {
  for (const char* policy : {"lws", "heft", "mct", "dada", "eager", "homeward"}) {
    BOOST_TEST_CONTEXT(policy) {
      std::uint64_t ahead = 0;
      const std::vector<Span> ran = chain(8, ahead, policy);
      // A task is issued ahead only if its duration is known, so this begins after the first two tasks.
      for (std::size_t i = 2; i < ran.size(); ++i) {
        BOOST_TEST((ran[i].start - ran[i - 1].end).count() == 0);
      }
      BOOST_TEST(ahead == 8U);
    }
  }
}

BOOST_AUTO_TEST_CASE(no_more_is_issued_than_hides_the_host) {
  // A launch takes 4 us, and noticing the end of a task takes 20 us, together 24 us. Kernels that take more than four
  // times as long, 96 us, are not issued ahead.
  for (const auto& [kernel_us, some] : {std::pair(96, true), std::pair(97, false)}) {
    SimulationOptions options = with_host_times(100);
    options.accelerators.kernel_overhead = microseconds(kernel_us) - kOnGpu;
    TestRuntime runtime(in_virtual_time(options));
    Values x(kElements);
    const Handle handle = registered(runtime, x);
    const Codelet update = add_one(kUpdate, Where::gpus);
    for (int i = 0; i < 4; ++i) runtime.submit(update, {handle});
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST((issued_ahead(runtime) > 0) == some);
  }
}

BOOST_AUTO_TEST_CASE(what_was_issued_behind_a_kernel_that_fails_is_cancelled_with_its_cause) {
  TestRuntime runtime(in_virtual_time(with_host_times(8)));
  Values x(kElements);
  Values y(kElements);
  const Handle chained = registered(runtime, x, "chained");
  const Handle other = registered(runtime, y, "other");
  const Codelet update = add_one(kUpdate, Where::gpus);
  Codelet broken("broken", {AccessMode::read_write, AccessMode::read});
  broken.implement(DeviceKind::cuda, [](const KernelContext&) { throw std::runtime_error("planned"); })
      .timed_as("test/kernel/double");
  for (int i = 0; i < 3; ++i) runtime.submit(update, {chained});
  std::vector<Future> behind;
  const Future root = runtime.submit(broken, {chained, other});
  for (int i = 0; i < 3; ++i) behind.push_back(runtime.submit(update, {chained}));
  // This task writes data that the broken task reads. It does not use the broken task's result, so it is not cancelled.
  const Future independent = runtime.submit(update, {other});
  const std::string failure = runtime.wait();
  BOOST_TEST(failure.find("broken") != std::string::npos, failure);
  BOOST_TEST(failure.find("planned") != std::string::npos, failure);
  BOOST_TEST((runtime->graph().status(root) == TaskStatus::failed));
  for (const Future& one : behind) {
    BOOST_TEST((runtime->graph().status(one) == TaskStatus::cancelled));
    const Result<void> outcome = runtime->graph().wait(one);
    BOOST_TEST_REQUIRE(!outcome.ok());
    BOOST_TEST(outcome.failure().message.find("planned") != std::string::npos, outcome.failure().message);
  }
  BOOST_TEST((runtime->graph().status(independent) == TaskStatus::succeeded));
  BOOST_TEST(first_of(runtime, other) == 1);
  BOOST_TEST(!runtime->graph().acquire(chained, AccessMode::read).ok());
  BOOST_TEST(issued_ahead(runtime) > 0U);
}

BOOST_AUTO_TEST_CASE(cancelled_tasks_that_were_issued_do_not_count_as_done) {
  TestRuntime runtime(in_virtual_time(with_host_times(8)));
  Values x(kElements);
  const Handle handle = registered(runtime, x);
  Codelet canceller("canceller", {AccessMode::read_write});
  canceller.implement(DeviceKind::cuda, [&](const KernelContext&) { runtime->graph().cancel_all("no more"); })
      .timed_as("test/kernel/double");
  std::vector<Future> tasks;
  for (int i = 0; i < 3; ++i) tasks.push_back(runtime.submit(canceller, {handle}));
  const Codelet update = add_one(kUpdate, Where::gpus);
  for (int i = 0; i < 5; ++i) tasks.push_back(runtime.submit(update, {handle}));
  const std::string failure = runtime.wait();
  BOOST_TEST(failure.find("no more") != std::string::npos, failure);
  BOOST_TEST((runtime->graph().status(tasks.back()) == TaskStatus::cancelled));
  BOOST_TEST(runtime->report().ended == tasks.size());
}

BOOST_AUTO_TEST_CASE(a_callback_comes_before_what_waits_for_its_task_begins) {
  TestRuntime runtime(in_virtual_time(with_host_times(8)));
  Values x(kElements);
  const Handle handle = registered(runtime, x);
  const Codelet update = add_one(kUpdate, Where::gpus);
  for (int i = 0; i < 3; ++i) runtime.submit(update, {handle});
  std::vector<std::string> order;
  TaskOptions options;
  options.callback = [&](const TaskOutcome&) { order.emplace_back("callback"); };
  runtime.submit(update, {handle}, options);
  Codelet last("last", {AccessMode::read_write});
  last.implement(DeviceKind::cuda, [&](const KernelContext&) { order.emplace_back("kernel"); })
      .timed_as("test/kernel/double");
  for (int i = 0; i < 2; ++i) runtime.submit(last, {handle});
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(order == (std::vector<std::string>{"callback", "kernel", "kernel"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_cannot_run_any_more_is_not_issued) {
  TestRuntime runtime(in_virtual_time(with_host_times(8)));
  Values x(kElements);
  Values y(kElements);
  const Handle chained = registered(runtime, x);
  const Handle spoilt = registered(runtime, y);
  Codelet broken("broken", {AccessMode::read_write});
  broken.cpu([](const KernelContext&) { throw std::runtime_error("planned"); }).timed_as("test/kernel/double");
  bool called = false;
  Codelet both("both", {AccessMode::read_write, AccessMode::read});
  both.implement(DeviceKind::cuda, [&](const KernelContext&) { called = true; }).timed_as("test/kernel/double");
  const Codelet update = add_one(kUpdate, Where::gpus);
  Values z(kElements);
  Values w(kElements);
  // This run measures the duration of `both`, so that later tasks of `both` could be issued ahead.
  runtime.submit(both, {registered(runtime, z), registered(runtime, w)});
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(std::exchange(called, false));
  // `broken` runs on the core for 100 us. The twenty updates run on the GPU for 200 us, so `broken` fails in between.
  runtime.submit(broken, {spoilt});
  for (int i = 0; i < 20; ++i) runtime.submit(update, {chained});
  const Future last = runtime.submit(both, {chained, spoilt});
  const std::string failure = runtime.wait();
  BOOST_TEST(failure.find("planned") != std::string::npos, failure);
  BOOST_TEST((runtime->graph().status(last) == TaskStatus::cancelled));
  BOOST_TEST(!called);
  BOOST_TEST(issued_ahead(runtime) > 10U);
}

BOOST_AUTO_TEST_CASE(a_task_that_waits_for_another_device_too_is_not_issued) {
  TestRuntime runtime(in_virtual_time(with_host_times(8, 2), "heft"));
  Values x(kElements);
  Values y(kElements);
  const Handle first = registered(runtime, x);
  const Handle second = registered(runtime, y);
  const Codelet update = add_one(kUpdate, Where::gpus);
  for (int i = 0; i < 20; ++i) {
    runtime.submit(update, {first});
    runtime.submit(update, {second});
    if (i % 5 == 4) runtime.submit(add_one({AccessMode::read_write, AccessMode::read}, Where::gpus), {first, second});
  }
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(first_of(runtime, first) == 24);
  BOOST_TEST(first_of(runtime, second) == 20);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
