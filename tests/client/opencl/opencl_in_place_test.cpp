// Tests of OpenCL devices that use host memory in place. Only data that cannot be used in place are copied.
#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "tests/client/opencl/opencl_fixture.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(opencl_in_place_programs)

namespace {

constexpr std::size_t kSize = 1U << 16U;

/// A vector that devices can use in place, because its memory begins at a page boundary.
class AlignedVector {
 public:
  explicit AlignedVector(std::size_t size) : all_(size + kPage / sizeof(double)), size_(size) {
    void* begin = all_.data();
    std::size_t room = all_.size() * sizeof(double);
    begin_ = static_cast<double*>(std::align(kPage, size * sizeof(double), begin, room));
  }
  [[nodiscard]] std::span<double> values() { return {begin_, size_}; }

 private:
  static constexpr std::size_t kPage = 4096;
  std::vector<double> all_;
  std::size_t size_;
  double* begin_;
};

/// A codelet that adds. Counts the tasks whose buffers were host memory, and all other tasks.
struct Watched {
  std::atomic<int> in_place{0};
  std::atomic<int> apart{0};

  [[nodiscard]] Codelet add() {
    return Codelet("add", {AccessMode::read_write})
        .opencl([this](OpenClLaunch& launch, VectorView<double> x, double a) {
          void* host = nullptr;
          (void)launch.api().clGetMemObjectInfo(launch.buffer(x.data()), CL_MEM_HOST_PTR, sizeof host, &host, nullptr);
          (host == x.data() ? in_place : apart) += 1;
          add_on_opencl(launch, x, a);
        })
        .cpu([](VectorView<double> x, double a) {
          for (double& value : x) value += a;
        });
  }
};

Data vector_of(Runtime& runtime, std::span<double> values) { return runtime.vector(values); }

std::vector<DeviceKind> kinds_of(Runtime& runtime) {
  std::vector<DeviceKind> kinds;
  for (const WorkerReport& worker : runtime.report().workers) kinds.push_back(worker.kind);
  return kinds;
}

/// Lets the workers run tasks in turn. Returns the number of bytes that were copied between memories.
Bytes take_turns(const RuntimeOptions& options, Watched& watched) {
  Runtime runtime(options);
  AlignedVector memory(kSize);
  Data data = vector_of(runtime, memory.values());
  const auto workers = static_cast<int>(runtime.workers());
  for (int i = 0; i < 10 * workers; ++i) {
    const WorkerId worker(static_cast<std::uint32_t>(i % workers));
    runtime.submit(watched.add(), {data}, args(1.0), {.devices = DeviceSet::worker(worker)});
  }
  runtime.wait();
  data.release();
  BOOST_TEST(std::ranges::count(memory.values(), 10.0 * workers) == static_cast<std::ptrdiff_t>(kSize));
  return runtime.report().transfers.total();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_program_moves_no_bytes) {
  if (!has_opencl_devices()) return;
  Watched watched;
  BOOST_TEST(take_turns(with_opencl("all"), watched).count == 0U);
  BOOST_TEST(watched.in_place == 30);
  BOOST_TEST(watched.apart == 0);
}

BOOST_AUTO_TEST_CASE(a_trace_has_no_copies) {
  if (!has_opencl_devices()) return;
  RuntimeOptions options = with_opencl();
  options.trace = true;
  Runtime runtime(options);
  BOOST_TEST((kinds_of(runtime) ==
              std::vector{DeviceKind::cpu_core, DeviceKind::opencl_in_place, DeviceKind::opencl_in_place}));
  AlignedVector memory(kSize);
  Data data = vector_of(runtime, memory.values());
  for (int i = 0; i < 10; ++i) runtime.submit(add_codelet(), {data}, args(1.0));
  runtime.wait();
  const Trace trace = runtime.take_trace();
  BOOST_TEST(trace.events.size() == 10U);
  BOOST_TEST(trace.transfers.empty());
}

BOOST_AUTO_TEST_CASE(devices_work_on_copies_where_that_is_asked_for_or_their_memory_is_limited) {
  if (!has_opencl_devices()) return;
  RuntimeOptions copies = with_opencl();
  copies.accelerators.opencl_copies = true;
  RuntimeOptions limited = with_opencl();
  limited.accelerators.opencl_memory = Bytes{16U << 20U};
  for (const RuntimeOptions& options : {copies, limited}) {
    Watched watched;
    BOOST_TEST(take_turns(options, watched).count > 10 * kSize * sizeof(double));
    BOOST_TEST(watched.apart == 20);
    Runtime runtime(options);
    BOOST_TEST((kinds_of(runtime)[1] == DeviceKind::opencl));
  }
}

BOOST_AUTO_TEST_CASE(they_work_beside_a_device_with_memory_of_its_own) {
  if (!has_opencl_devices()) return;
  RuntimeOptions options = with_opencl();
  platform::EmulationOptions emulated;
  emulated.memory = Bytes{4U << 20U};
  options.accelerators.emulated_gpus = {emulated};
  Watched watched;
  BOOST_TEST(take_turns(options, watched).count > 0U);
  BOOST_TEST(watched.in_place == 20);
}

BOOST_AUTO_TEST_CASE(data_that_are_not_aligned_are_copied_for_each_task_but_where_less_will_do) {
  if (!has_opencl_devices()) return;
  for (const std::size_t alignment : {std::size_t{0}, sizeof(double)}) {
    RuntimeOptions options = with_opencl("0");
    options.accelerators.opencl_alignment = alignment;
    Runtime runtime(options);
    Watched watched;
    AlignedVector memory(kSize + 2);
    Data data = vector_of(runtime, memory.values().subspan(1, kSize));
    const TaskOptions on_device{.devices = DeviceSet::worker(WorkerId(1))};
    for (int i = 0; i < 10; ++i) runtime.submit(watched.add(), {data}, args(1.0), on_device);
    runtime.wait();
    data.release();
    BOOST_TEST((alignment == 0 ? watched.apart : watched.in_place) == 10);
    BOOST_TEST(memory.values().front() == 0);
    BOOST_TEST(memory.values().back() == 0);
    BOOST_TEST(std::ranges::count(memory.values(), 10.0) == static_cast<std::ptrdiff_t>(kSize));
  }
}

BOOST_AUTO_TEST_CASE(a_whole_and_its_parts_are_used_in_turn) {
  if (!has_opencl_devices()) return;
  Runtime runtime(with_opencl());
  AlignedVector memory(kSize);
  Watched watched;
  std::vector<double> expected(kSize);
  {
    Data whole = vector_of(runtime, memory.values());
    constexpr std::int64_t kPart = kSize / 4;
    std::vector<Block> blocks;
    for (std::int64_t row = 0; row < static_cast<std::int64_t>(kSize); row += kPart)
      blocks.push_back({row, 0, kPart, 1});
    const std::vector<Handle> parts = runtime.partition(whole, blocks);
    for (int turn = 0; turn < 3; ++turn) {
      const double a = turn + 1;
      runtime.submit(watched.add(), {whole}, args(a), {.devices = DeviceSet::worker(WorkerId(1))});
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const WorkerId worker(static_cast<std::uint32_t>(i % 3));
        runtime.submit(watched.add(), {parts[i]}, args(a * static_cast<double>(i)),
                       {.devices = DeviceSet::worker(worker)});
      }
      for (std::size_t k = 0; k < kSize; ++k) expected[k] += a + a * static_cast<double>(k / kPart);
    }
    runtime.wait();
  }
  BOOST_TEST(std::ranges::equal(memory.values(), expected));
  BOOST_TEST(watched.apart == 0);
}

BOOST_AUTO_TEST_CASE(memory_that_is_used_again_for_other_data_has_other_buffers) {
  if (!has_opencl_devices()) return;
  Runtime runtime(with_opencl());
  AlignedVector memory(kSize);
  for (std::size_t size = kSize; size > 100; size /= 3) {
    std::ranges::fill(memory.values(), 0);
    Data data = vector_of(runtime, memory.values().first(size));
    for (int i = 0; i < 4; ++i) runtime.submit(add_codelet(), {data}, args(1.0));
    runtime.wait();
    data.release();
    BOOST_TEST(std::ranges::count(memory.values(), 4.0) == static_cast<std::ptrdiff_t>(size));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
