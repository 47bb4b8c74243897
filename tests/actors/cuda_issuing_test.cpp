// Tests of kernels that a fake GPU receives before their predecessors end. CUDA events order such kernels; no host
// thread waits for the predecessors.
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "graph/codelets/completion_check.hpp"
#include "tests/actors/runtime_fixture.hpp"
#include "tests/support/cuda/cuda_fixture.hpp"
#include "tests/support/cuda/cuda_launcher.hpp"
#include "tests/support/fake_cuda/control.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(cuda_issuing)

namespace {

constexpr std::uint64_t kKernel_ns = 10'000;

struct Machine : tests::CudaFixture {
  Machine() : CudaFixture({.devices = 1, .memory = std::uint64_t{1} << 28U, .shared_ns = kKernel_ns}) {
    if (fake == nullptr) return;
    tests::register_kernel<double*, double>(*fake, "step", [](const tests::FakeLaunch& launch, double* x, double by) {
      if (launch.touches(x, sizeof(double))) *x = 2 * *x + by;
    });
    tests::register_kernel<double*, const double*>(
        *fake, "join", [](const tests::FakeLaunch& launch, double* x, const double* y) {
          if (launch.touches(x, sizeof(double)) && launch.touches(y, sizeof(double))) *x = 3 * *x + *y;
        });
  }
};

RuntimeOptions one_gpu(std::size_t issue_ahead) {
  RuntimeOptions options = tests::workers(1);
  options.gpus = 1;
  options.accelerators.ahead.issue = issue_ahead;
  return options;
}

std::uint64_t issued_ahead(tests::TestRuntime& runtime) {
  std::uint64_t sum = 0;
  for (const WorkerReport& worker : runtime->report().workers) sum += worker.counts.issued_ahead;
  return sum;
}

}  // namespace

BOOST_AUTO_TEST_CASE(kernels_of_several_streams_wait_for_one_another) {
  const Machine machine;
  if (!machine.needs_fake()) return;
  const tests::CudaLauncher launch;
  for (const std::size_t most : {std::size_t{0}, std::size_t{8}}) {
    std::array<double, 3> values{1, 2, 3};
    std::array<double, 3> expected = values;
    tests::TestRuntime runtime(one_gpu(most));
    const Codelet step = Codelet("step", {AccessMode::read_write}).cuda([&](::CUstream_st* stream, double& x) {
      launch(stream, "step", &x, 1.0);
    });
    const Codelet join =
        Codelet("join", {AccessMode::read_write, AccessMode::read})
            .cuda([&](::CUstream_st* stream, double& x, const double& y) { launch(stream, "join", &x, &y); });
    std::vector<Handle> handles;
    for (double& value : values) handles.push_back(runtime.scalar(value));
    const auto submit_step = [&](std::size_t i) {
      runtime.submit(step, {handles[i]});
      expected[i] = 2 * expected[i] + 1;
    };
    // On a busy machine a kernel may end before its successor is issued. The test repeats until one was issued ahead.
    const auto enough = [&](int rounds) { return rounds >= 12 && (most == 0 || issued_ahead(runtime) > 0); };
    for (int round = 0; round < 5000 && !enough(round); ++round) {
      // Three chains run side by side. Each chain also reads the data of another chain, whose next writer waits for
      // this reader.
      for (std::size_t i = 0; i < 3; ++i) submit_step(i);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t other = (i + 1) % 3;
        runtime.submit(join, {handles[i], read(handles[other])});
        expected[i] = 3 * expected[i] + expected[other];
      }
    }
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(values == expected, boost::test_tools::per_element());
    BOOST_TEST((issued_ahead(runtime) > 0) == (most > 0));
  }
}

BOOST_AUTO_TEST_CASE(a_chain_goes_on_without_the_host) {
  const tests::CudaFixture machine({.devices = 1, .memory = std::uint64_t{1} << 28U});
  if (!machine.needs_fake()) return;
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kLinks = 100;
  // The kernels append their begins and ends to these vectors. The kernels run one after the other, so no lock is
  // needed.
  std::vector<Clock::time_point> begins;
  std::vector<Clock::time_point> ends;
  tests::register_kernel<double*>(*machine.fake, "link", [&](const tests::FakeLaunch& launch, double* x) {
    // The kernel takes far less than the 96 us of work that may be issued ahead, so it is short enough on slow
    // machines.
    begins.push_back(Clock::now());
    while (Clock::now() < begins.back() + std::chrono::microseconds(10)) {
    }
    if (launch.touches(x, sizeof(double))) *x += 1;
    ends.push_back(Clock::now());
  });
  const tests::CudaLauncher launch;
  const Codelet link = Codelet("link", {AccessMode::read_write}).cuda([&](::CUstream_st* stream, double& x) {
    launch(stream, "link", &x);
  });
  for (const std::size_t most : {std::size_t{0}, std::size_t{8}}) {
    std::vector<double> idle_us;
    std::uint64_t issued = 0;
    for (int attempt = 0; attempt < 50 && (attempt < 3 || (most > 0 && issued == 0)); ++attempt) {
      begins.clear();
      ends.clear();
      double value = 0;
      tests::TestRuntime runtime(one_gpu(most));
      const Handle handle = runtime.scalar(value);
      for (std::size_t i = 0; i < kLinks; ++i) runtime.submit(link, {handle});
      BOOST_TEST(runtime.wait() == "");
      BOOST_TEST(value == kLinks);
      issued += issued_ahead(runtime);
      // The worker issues a kernel ahead only if its duration is known, so the first two kernels are left out.
      for (std::size_t i = 3; i < begins.size(); ++i) {
        idle_us.push_back(std::chrono::duration<double, std::micro>(begins[i] - ends[i - 1]).count());
      }
    }
    BOOST_TEST((issued > 0) == (most > 0));
    std::ranges::nth_element(idle_us, idle_us.begin() + idle_us.size() / 2);
    BOOST_TEST_MESSAGE(most << " issued ahead: idle " << idle_us[idle_us.size() / 2] << " us in the median");
  }
}

BOOST_AUTO_TEST_CASE(behind_a_kernel_that_cannot_be_enqueued_nothing_is_and_what_needs_it_is_cancelled) {
  const Machine machine;
  if (!machine.needs_fake()) return;
  const tests::CudaLauncher launch;
  double chained = 1;
  double other = 1;
  tests::TestRuntime runtime(one_gpu(8));
  const Codelet step = Codelet("step", {AccessMode::read_write}).cuda([&](::CUstream_st* stream, double& x) {
    launch(stream, "step", &x, 1.0);
  });
  const Codelet broken =
      Codelet("broken", {AccessMode::read_write, AccessMode::read}).cuda([](::CUstream_st*, double&, const double&) {
        throw std::runtime_error("planned");
      });
  const Codelet rejected = Codelet("rejected", {AccessMode::read_write, AccessMode::read})
                               .cuda([&](::CUstream_st* stream, double& x, const double&) {
                                 launch(stream, "step", &x, 1.0);
                                 check_at_completion([] { throw std::runtime_error("found out later"); });
                               });
  const Handle first = runtime.scalar(chained);
  const Handle second = runtime.scalar(other);
  for (const Codelet* bad : {&broken, &rejected}) {
    const Codelet overwrite = Codelet("overwrite", {AccessMode::write}).cuda([&](::CUstream_st* stream, double& x) {
      launch(stream, "step", &x, 1.0);
    });
    for (int i = 0; i < 5; ++i) runtime.submit(step, {first});
    BOOST_TEST(runtime.wait() == "");
    // Pause the GPU, so that the worker issues all the tasks that it may issue before any of them begins.
    machine.fake->pause();
    runtime.submit(step, {first});
    const Future root = runtime.submit(*bad, {first, read(second)});
    std::vector<Future> behind;
    for (int i = 0; i < 4; ++i) behind.push_back(runtime.submit(step, {first}));
    // These tasks write `second`, which the bad task reads, so they wait for the bad task. But they do not use its
    // result, so they must succeed.
    std::vector<Future> beside;
    for (int i = 0; i < 4; ++i) beside.push_back(runtime.submit(step, {second}));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    machine.fake->resume();
    const std::string failure = runtime.wait();
    BOOST_TEST(failure.find("codelet " + bad->name()) != std::string::npos, failure);
    BOOST_TEST((runtime->graph().status(root) == TaskStatus::failed));
    for (const Future& one : behind) BOOST_TEST((runtime->graph().status(one) == TaskStatus::cancelled));
    for (const Future& one : beside) BOOST_TEST((runtime->graph().status(one) == TaskStatus::succeeded));
    runtime.submit(overwrite, {first});
    BOOST_TEST(runtime.wait() == "");
  }
  BOOST_TEST(other == 511);  // 2 x + 1, applied eight times to 1
}

BOOST_AUTO_TEST_CASE(a_gpu_that_is_lost_with_tasks_issued_names_the_first_and_loses_none) {
  const Machine machine;
  if (!machine.needs_fake()) return;
  const tests::CudaLauncher launch;
  double x = 1;
  tests::TestRuntime runtime(one_gpu(8));
  const Codelet step = Codelet("step", {AccessMode::read_write}).cuda([&](::CUstream_st* stream, double& to) {
    launch(stream, "step", &to, 1.0);
  });
  const Handle handle = runtime.scalar(x);
  for (int i = 0; i < 10; ++i) runtime.submit(step, {handle});
  BOOST_TEST(runtime.wait() == "");
  std::vector<Future> tasks;
  machine.fake->pause();
  for (int i = 0; i < 20; ++i) tasks.push_back(runtime.submit(step, {handle}));
  machine.fake->break_device(0);
  machine.fake->resume();
  const std::string failure = runtime.wait();
  BOOST_TEST(failure.find("the GPU was lost") != std::string::npos, failure);
  BOOST_TEST((runtime->graph().status(tasks.front()) == TaskStatus::failed));
  for (const Future& task : tasks) BOOST_TEST((runtime->graph().status(task) != TaskStatus::pending));
  for (std::size_t i = 9; i < tasks.size(); ++i) {
    BOOST_TEST((runtime->graph().status(tasks[i]) == TaskStatus::cancelled));
  }
  BOOST_TEST(runtime->report().ended == 30U);
}

BOOST_AUTO_TEST_CASE(tasks_that_are_submitted_while_the_gpu_is_lost_end_in_their_order) {
  const Machine machine;
  if (!machine.needs_fake()) return;
  const tests::CudaLauncher launch;
  double x = 1;
  RuntimeOptions options = one_gpu(8);
  options.window = 64;
  tests::TestRuntime runtime(options);
  const Codelet step = Codelet("step", {AccessMode::read_write}).cuda([&](::CUstream_st* stream, double& to) {
    launch(stream, "step", &to, 1.0);
  });
  const Handle handle = runtime.scalar(x);
  // Every fiftieth task has a callback, so the test covers tasks with and without one.
  std::vector<int> order;
  for (int i = 0; i < 3000; ++i) {
    if (i == 700) machine.fake->break_device(0);
    TaskOptions task;
    if (i % 50 == 0) task.callback = [&order, i](const TaskOutcome&) { order.push_back(i); };
    runtime.submit(step, {handle}, task);
  }
  const std::string failure = runtime.wait();
  BOOST_TEST(failure.find("lost") != std::string::npos, failure);
  BOOST_TEST(order.size() == 60U);
  BOOST_TEST(std::ranges::is_sorted(order));
  BOOST_TEST(runtime->report().ended == 3000U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
