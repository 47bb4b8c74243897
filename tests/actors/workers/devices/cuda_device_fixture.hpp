/// A device on a fake GPU, and a listener that records the tasks that have ended.
#pragma once

#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "actors/workers/devices/cuda_device.hpp"
#include "tests/actors/graph_fixture.hpp"
#include "tests/support/cuda/cuda_fixture.hpp"
#include "tests/support/cuda/cuda_launcher.hpp"
#include "tests/support/failing_memory.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Records the tasks that have ended.
struct DoneTasks final : DeviceListener {
  struct Done {
    graph::Task* task;
    graph::FailureLog::Cause cause;
    Duration took;
  };

  void done(graph::Task& task, graph::FailureLog::Cause cause, Duration took) noexcept override {
    all.push_back({&task, std::move(cause), took});
  }
  [[nodiscard]] const Done* find(const graph::Task* task) const {
    for (const Done& one : all) {
      if (one.task == task) return &one;
    }
    return nullptr;
  }

  std::vector<Done> all;
};

/// A fake GPU and a device that runs tasks on it. `values[i]` is a copy of the i-th double in the GPU's memory.
struct CudaDeviceFixture : tests::CudaFixture {
  explicit CudaDeviceFixture(const tests::FakeCudaOptions& options = {}, std::size_t slots = 4) : CudaFixture(options) {
    if (fake == nullptr) return;
    register_kernel<double*, double>(*fake, "add", [](const tests::FakeLaunch& launch, double* to, double value) {
      if (launch.touches(to, sizeof(double))) *to += value;
    });
    gpu = platform::open_cuda_accelerator(0, Bytes{kMiB}).value_or_throw();
    launcher = std::make_unique<tests::CudaLauncher>();
    CudaDeviceOptions device_options;
    device_options.executor.graph = &tasks.graph;
    device_options.executor.worker = WorkerId(2);
    device_options.executor.name = gpu->name();
    device_options.executor.kind = DeviceKind::cuda;
    device_options.executor.trace = &trace;
    device_options.executor.clock = &clock;
    device_options.executor.find_replica = [this](const graph::DataRecord& data) {
      DataView view = data.view;
      view.data = gpu->memory() + (view.data - reinterpret_cast<std::byte*>(values.data()));
      return view;
    };
    device_options.accelerator = gpu.get();
    device_options.slots = slots;
    device_options.on_lost = [this] {
      ++lost_calls;
      done_when_lost = listener.all.size();
      if (allocations_after_loss) memory.emplace(*allocations_after_loss);
    };
    device = make_cuda_device(std::move(device_options), listener).value_or_throw();
    copy(platform::CopyDirection::to_device);
  }
  ~CudaDeviceFixture() {
    if (fake != nullptr) fake->resume();
    device.reset();
    launcher.reset();
    gpu.reset();
  }

  void copy(platform::CopyDirection direction) {
    std::atomic<bool> ended = false;
    std::byte* const host = reinterpret_cast<std::byte*>(values.data());
    const bool there = direction == platform::CopyDirection::to_device;
    gpu->copy(direction, {there ? host : gpu->memory(), 0, there ? gpu->memory() : host, 0, sizeof values, 1}, 1, false,
              [&](const Result<void>& result) {
                BOOST_TEST(result.ok());
                ended = true;
              });
    while (!ended) std::this_thread::yield();
  }
  graph::Task* submit(const Codelet& codelet, const std::vector<Access>& accesses = {},
                      const TaskOptions& options = {}) {
    tasks.submit(codelet, accesses, options);
    graph::TaskList ready = tasks.take_ready();
    BOOST_TEST_REQUIRE(!ready.empty());
    return ready.pop_front();
  }
  /// Polls until `count` tasks have ended.
  void poll_until(std::size_t count) {
    while (listener.all.size() < count) {
      device->poll();
      std::this_thread::yield();
    }
  }
  /// Returns a codelet whose kernel adds `value` to the number of its handle.
  Codelet adder(double value) {
    return Codelet("add", {AccessMode::read_write}).cuda([this, value](::CUstream_st* stream, double& to) {
      (*launcher)(stream, "add", &to, value);
    });
  }
  Handle value(std::size_t index) { return tasks.scalar(values[index]); }
  void start(graph::Task* task) {
    const Started started = device->start(*task);
    BOOST_TEST(!started.finished);
  }

  std::array<double, 16> values{};
  platform::SteadyClock clock;
  WorkerTrace trace;
  tests::GraphFixture tasks{3, true};
  DoneTasks listener;
  std::unique_ptr<platform::CudaAccelerator> gpu;
  std::unique_ptr<tests::CudaLauncher> launcher;
  std::unique_ptr<Device> device;
  int lost_calls = 0;
  std::optional<std::size_t> allocations_after_loss;
  std::optional<tests::FailingMemory> memory;
  std::size_t done_when_lost = 0;
};

}  // namespace troupe::workers
