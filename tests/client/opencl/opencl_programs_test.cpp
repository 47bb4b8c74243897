// Tests of programs that have their own kernels for OpenCL devices.
#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <thread>

#include "tests/client/opencl/opencl_fixture.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(opencl_programs)

namespace {

constexpr WorkerId kFirst(1);
constexpr WorkerId kSecond(2);

Codelet axpy_codelet() {
  return Codelet("axpy", {AccessMode::read, AccessMode::read_write})
      .opencl([](OpenClLaunch& launch, VectorView<const double> x, VectorView<double> y, double a) {
        const cl_kernel kernel = opencl_kernels().kernel(launch, "axpy");
        set_opencl_argument(launch, kernel, 0, launch.buffer(x.data()));
        set_opencl_argument(launch, kernel, 1, launch.buffer(y.data()));
        set_opencl_argument(launch, kernel, 2, a);
        enqueue_opencl(launch, kernel, y.size());
      });
}

std::uint64_t tasks_of(Runtime& runtime, WorkerId worker) {
  return runtime.report().workers[worker.index()].counts.tasks;
}

/// Vectors that tasks add to one another, and the results that are expected.
struct Vectors {
  Vectors(std::size_t count, std::size_t size) : memory(count, std::vector<double>(size)) {
    for (std::size_t i = 0; i < count; ++i) std::iota(memory[i].begin(), memory[i].end(), static_cast<double>(i));
    expected = memory;
  }

  void run(Runtime& runtime, std::size_t steps) {
    const Codelet axpy = axpy_codelet();
    std::vector<Data> data;
    for (auto& vector : memory) data.push_back(runtime.vector(vector));
    for (std::size_t step = 1; step <= steps; ++step) {
      for (std::size_t i = 0; i < memory.size(); ++i) {
        const std::size_t from = (i + step) % memory.size();
        runtime.submit(axpy, {data[from], data[i]}, args(0.5));
        for (std::size_t k = 0; k < memory[i].size(); ++k) expected[i][k] += 0.5 * expected[from][k];
      }
    }
    runtime.wait();
  }
  void check() const {
    for (std::size_t i = 0; i < memory.size(); ++i) BOOST_TEST((memory[i] == expected[i]), "vector " << i);
  }

  std::vector<std::vector<double>> memory;
  std::vector<std::vector<double>> expected;
};

}  // namespace

BOOST_AUTO_TEST_CASE(tasks_on_two_devices_compute_what_the_host_does) {
  if (!has_opencl_devices()) return;
  Runtime runtime(with_opencl());
  Vectors vectors(32, 1000);
  vectors.run(runtime, 7);
  vectors.check();
  BOOST_TEST(runtime.report().workers.size() == 3U);
  for (const WorkerId worker : {kFirst, kSecond}) {
    BOOST_TEST((runtime.report().workers[worker.index()].kind == DeviceKind::opencl_in_place));
    BOOST_TEST(tasks_of(runtime, worker) > 0U);
  }
}

BOOST_AUTO_TEST_CASE(more_data_than_the_devices_may_hold_come_and_go) {
  if (!has_opencl_devices()) return;
  constexpr std::size_t kSize = 4096;
  RuntimeOptions options = with_opencl();
  // The device memory has room for five of the forty vectors. Vectors are evicted and return later, often to another
  // offset.
  options.accelerators.opencl_memory = Bytes{5 * kSize * sizeof(double) + 1000};
  Runtime runtime(options);
  Vectors vectors(40, kSize);
  // The vectors get different sizes, so that the memory of an evicted vector is sometimes too small for the next one.
  for (std::size_t i = 0; i < vectors.memory.size(); ++i) {
    vectors.memory[i].resize(kSize - 64 * (i % 3));
    vectors.expected[i].resize(kSize - 64 * (i % 3));
  }
  const Codelet add = add_codelet();
  std::vector<Data> data;
  for (auto& vector : vectors.memory) data.push_back(runtime.vector(vector));
  for (int step = 0; step < 5; ++step) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      runtime.submit(add, {data[i]}, args(static_cast<double>(step) + 1));
      for (double& value : vectors.expected[i]) value += step + 1;
    }
  }
  runtime.wait();
  BOOST_TEST(runtime.report().transfers.manager.evictions > 40U);
  data.clear();
  vectors.check();
}

BOOST_AUTO_TEST_CASE(a_task_that_may_run_on_one_device_only_runs_there) {
  if (!has_opencl_devices()) return;
  Runtime runtime(with_opencl());
  const Codelet add = add_codelet();
  std::vector<double> memory(100);
  Data data = runtime.vector(memory);
  for (int i = 0; i < 20; ++i) runtime.submit(add, {data}, args(1.0), {.devices = DeviceSet::worker(kSecond)});
  runtime.wait();
  BOOST_TEST(tasks_of(runtime, kFirst) == 0U);
  BOOST_TEST(tasks_of(runtime, kSecond) == 20U);
  runtime.submit(add, {data}, args(1.0), {.devices = DeviceSet::worker(kFirst)}).wait();
  runtime.submit(add, {data}, args(1.0), {.devices = DeviceKind::opencl}).wait();
  BOOST_TEST(tasks_of(runtime, kFirst) + tasks_of(runtime, kSecond) == 22U);
  data.release();
  BOOST_TEST(memory[99] == 22);
}

BOOST_AUTO_TEST_CASE(devices_are_taken_in_the_order_in_which_they_are_named) {
  if (!has_opencl_devices()) return;
  Runtime runtime(with_opencl("1,0"));
  const std::vector<WorkerReport> workers = runtime.report().workers;
  BOOST_TEST_REQUIRE(workers.size() == 3U);
  BOOST_TEST(workers[1].device.starts_with("OpenCL device 1 ("));
  BOOST_TEST(workers[2].device.starts_with("OpenCL device 0 ("));
}

BOOST_AUTO_TEST_CASE(cores_and_devices_take_turns_on_the_same_data) {
  if (!has_opencl_devices()) return;
  Runtime runtime(with_opencl());
  const Codelet add = add_codelet().cpu([](VectorView<double> x, double a) {
    for (double& value : x) value += a;
  });
  std::vector<double> memory(1000);
  Data data = runtime.vector(memory);
  for (int i = 0; i < 30; ++i) {
    const WorkerId worker(static_cast<std::uint32_t>(i % 3));
    runtime.submit(add, {data}, args(1.0), {.devices = DeviceSet::worker(worker)});
  }
  runtime.wait();
  for (std::uint32_t worker = 0; worker < 3; ++worker) BOOST_TEST(tasks_of(runtime, WorkerId(worker)) == 10U);
  data.release();
  BOOST_TEST((memory == std::vector<double>(1000, 30)));
}

BOOST_AUTO_TEST_CASE(parts_of_a_matrix_are_copied_without_what_lies_between_their_columns) {
  if (!has_opencl_devices()) return;
  constexpr std::int64_t kRows = 60;
  constexpr std::int64_t kColumns = 40;
  constexpr std::int64_t kLd = 67;
  std::vector<double> memory(static_cast<std::size_t>(kLd * kColumns), -1);
  Runtime runtime(with_opencl());
  const Codelet add =
      Codelet("add", {AccessMode::read_write}).opencl([](OpenClLaunch& launch, MatrixView<double> x, double a) {
        // Kernels of two devices run at the same time, so they cannot use Boost.Test, which supports one thread at a
        // time.
        if (x.ld != x.rows) throw std::runtime_error("the columns do not follow one another");
        add_on_opencl(launch, {x.data, static_cast<std::size_t>(x.rows * x.cols)}, a);
      });
  {
    Data whole = runtime.matrix(memory.data(), kRows, kColumns, kLd);
    std::vector<Block> blocks;
    for (std::int64_t row = 0; row < kRows; row += 20) {
      for (std::int64_t column = 0; column < kColumns; column += 10) blocks.push_back({row, column, 20, 10});
    }
    const std::vector<Handle> parts = runtime.partition(whole, blocks);
    for (int step = 0; step < 3; ++step) {
      for (std::size_t i = 0; i < parts.size(); ++i) runtime.submit(add, {parts[i]}, args(static_cast<double>(i)));
    }
    runtime.wait();
  }
  for (std::int64_t column = 0; column < kColumns; ++column) {
    for (std::int64_t row = 0; row < kLd; ++row) {
      const double part = static_cast<double>(row / 20 * (kColumns / 10) + column / 10);
      const double expected = row < kRows ? -1 + 3 * part : -1;
      if (memory[static_cast<std::size_t>(column * kLd + row)] == expected) continue;
      BOOST_ERROR("row " << row << ", column " << column << ": "
                         << memory[static_cast<std::size_t>(column * kLd + row)]);
    }
  }
}

BOOST_AUTO_TEST_CASE(an_untyped_kernel_finds_the_launch_in_its_context) {
  if (!has_opencl_devices()) return;
  Runtime runtime(with_opencl("0"));
  WorkerId ran_on;
  const Codelet add = Codelet("add", {AccessMode::read_write}).opencl([&](const KernelContext& context) {
    auto& launch = *static_cast<OpenClLaunch*>(context.stream);
    ran_on = launch.worker();
    add_on_opencl(launch, context.vector<double>(0), context.argument<double>(0));
  });
  std::vector<double> memory(10);
  Data data = runtime.vector(memory);
  Data empty = runtime.matrix(memory.data(), 0, 0, 1);
  runtime.submit(add, {data}, args(2.5));
  // Data without elements have a buffer, too.
  const Codelet look = Codelet("look", {AccessMode::read}).opencl([](OpenClLaunch& launch, MatrixView<const double> x) {
    if (launch.buffer(x.data) == nullptr) throw std::runtime_error("no buffer");
  });
  runtime.submit(look, {empty});
  runtime.wait();
  BOOST_TEST((ran_on == kFirst));
  data.release();
  BOOST_TEST((memory == std::vector<double>(10, 2.5)));
}

BOOST_AUTO_TEST_CASE(checks_run_when_what_the_kernel_enqueued_has_ended) {
  if (!has_opencl_devices()) return;
  Runtime runtime(with_opencl(kHoldable));
  std::unique_ptr<HeldQueue> held;
  std::atomic<bool> started{false};
  std::atomic<bool> checked{false};
  const Codelet wait = Codelet("wait", {}).opencl([&](OpenClLaunch& launch) {
    held = std::make_unique<HeldQueue>(launch);
    check_at_completion([&] { checked = true; });
    started = true;
  });
  const Future future = runtime.submit(wait, {});
  while (!started) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  BOOST_TEST(!checked);
  held->release();
  future.wait();
  BOOST_TEST(checked);
}

BOOST_AUTO_TEST_CASE(a_runtime_that_ends_waits_for_what_its_device_does) {
  if (!has_opencl_devices()) return;
  std::unique_ptr<HeldQueue> held;
  std::atomic<bool> started{false};
  std::vector<double> memory(10);
  std::thread releasing;
  {
    Runtime runtime(with_opencl(kHoldable));
    const Codelet wait =
        Codelet("wait", {AccessMode::read}).opencl([&](OpenClLaunch& launch, VectorView<const double>) {
          held = std::make_unique<HeldQueue>(launch);
          started = true;
        });
    Data data = runtime.vector(memory);
    runtime.submit(wait, {data});
    for (int i = 0; i < 10; ++i) runtime.submit(add_codelet(), {data}, args(1.0));
    releasing = std::thread([&] {
      while (!started) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      held->release();
    });
  }
  releasing.join();
  BOOST_TEST((memory == std::vector<double>(10, 10)));
}

BOOST_AUTO_TEST_CASE(devices_of_both_sorts_of_driver_work_on_one_program) {
  if (!has_opencl_devices()) return;
  Runtime runtime(with_opencl("all"));
  Vectors vectors(24, 1000);
  vectors.run(runtime, 20);
  vectors.check();
  BOOST_TEST(runtime.report().workers.size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_trace_has_the_tasks_and_their_copies) {
  if (!has_opencl_devices()) return;
  RuntimeOptions options = with_opencl("0");
  options.accelerators.opencl_copies = true;
  options.trace = true;
  Runtime runtime(options);
  std::vector<double> memory(1000);
  Data data = runtime.vector(memory);
  for (int i = 0; i < 5; ++i) runtime.submit(add_codelet(), {data}, args(1.0));
  runtime.wait();
  const Trace trace = runtime.take_trace();
  std::size_t tasks = 0;
  for (const TraceEvent& task : trace.events) {
    BOOST_TEST((task.worker == kFirst));
    BOOST_TEST((task.end >= task.start));
    ++tasks;
  }
  BOOST_TEST(tasks == 5U);
  BOOST_TEST(trace.transfers.size() >= 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
