// Tests of OpenCL devices that work on host memory in place. The device must tell the fake driver whenever the memory
// passes between host and device.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/workers/devices/opencl_device.hpp"
#include "platform/memory/host_buffer.hpp"
#include "platform/opencl/opencl_host_memory.hpp"
#include "tests/actors/graph_fixture.hpp"
#include "tests/support/opencl/opencl_copying_driver.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/opencl.hpp"

namespace troupe::workers {

namespace opencl_in_place {

using platform::OpenClHostMemory;
using tests::GraphFixture;

/// A listener that must not be called. The driver runs each command inside the call that enqueues it, so each task ends
/// inside `start`.
class NobodyHears final : public DeviceListener {
  void done(graph::Task&, graph::FailureLog::Cause, Duration) noexcept override { BOOST_ERROR("a task ended late"); }
};

/// Two devices that use the same host memory. Each device has buffers of its own for this memory.
struct Fixture {
  static constexpr std::size_t kSize = 100;

  Fixture() {
    platform::OpenClDevice device = driver.device();
    device.largest_buffer = {4096};
    for (std::uint32_t i = 0; i < 2; ++i) {
      memories.push_back(OpenClHostMemory::open(device).value_or_throw());
      OpenClDeviceOptions options;
      options.executor = {.graph = &tasks.graph,
                          .worker = WorkerId(i),
                          .name = memories.back()->name(),
                          .kind = DeviceKind::opencl_in_place};
      options.data = memories.back().get();
      devices.push_back(make_opencl_device(std::move(options), listener).value_or_throw());
    }
  }

  Handle data(double* at, std::int64_t rows, std::int64_t columns = 1, std::int64_t ld = 0) {
    const Layout layout = layout_of<double>(rows, columns, ld == 0 ? rows : ld);
    return tasks.graph.register_data({layout, reinterpret_cast<std::byte*>(at), nullptr, {}});
  }
  /// Returns the content of the buffer at `address` while the buffer's task runs.
  double* content(const OpenClLaunch& launch, const void* address) {
    return reinterpret_cast<double*>(driver.content(launch.buffer(address)));
  }
  graph::FailureLog::Cause run(std::size_t device, const Codelet& codelet, const std::vector<Access>& accesses) {
    tasks.submit(codelet, accesses);
    graph::TaskList list = tasks.take_ready();
    BOOST_TEST_REQUIRE(!list.empty());
    graph::Task& task = *list.pop_front();
    const Started started = devices[device]->start(task);
    BOOST_TEST(started.finished);
    graph::TaskList more;
    tasks.graph.complete(task, started.cause, WorkerId(0), more);
    return started.cause;
  }
  void add(std::size_t device, const Handle& handle) {
    BOOST_TEST(run(device, add_one, {{handle, AccessMode::read_write}}) == nullptr);
  }
  double sum(std::size_t device, const Handle& handle) {
    BOOST_TEST(run(device, look, {read(handle)}) == nullptr);
    return seen;
  }

  tests::CopyingDriver driver;
  GraphFixture tasks{2, true};
  NobodyHears listener;
  platform::HostBuffer block = platform::HostBuffer::allocate_on({8192}, -1).value_or_throw();
  double* values = reinterpret_cast<double*>(block.data());
  std::vector<std::unique_ptr<OpenClHostMemory>> memories;
  std::vector<std::unique_ptr<Device>> devices;
  double seen = 0;
  const Codelet add_one =
      Codelet("add one", {AccessMode::read_write}).opencl([this](OpenClLaunch& launch, MatrixView<double> x) {
        BOOST_TEST(x.ld == x.rows);
        double* const at = content(launch, x.data);
        for (std::int64_t i = 0; i < x.rows * x.cols; ++i) at[i] += 1;
      });
  const Codelet look =
      Codelet("look", {AccessMode::read}).opencl([this](OpenClLaunch& launch, MatrixView<const double> x) {
        const double* const at = content(launch, x.data);
        seen = 0;
        for (std::int64_t i = 0; i < x.rows * x.cols; ++i) seen += at[i];
      });
};

}  // namespace opencl_in_place

BOOST_FIXTURE_TEST_SUITE(opencl_in_place_device, opencl_in_place::Fixture)

BOOST_AUTO_TEST_CASE(host_and_devices_see_what_the_others_have_written) {
  const Handle handle = data(values, kSize);
  double expected = 0;
  for (int i = 0; i < 40; ++i) {
    // The host and the two devices write in a changing order. In between, the devices also read.
    const auto turn = static_cast<std::size_t>(i * 7 % 5);
    if (turn < 2) {
      add(turn, handle);
    } else {
      for (std::size_t k = 0; k < kSize; ++k) values[k] += 1;
    }
    expected += 1;
    if (i % 3 == 0) BOOST_TEST(sum(static_cast<std::size_t>(i) % 2, handle) == expected * kSize);
    for (std::size_t k = 0; k < kSize; ++k) BOOST_TEST_REQUIRE(values[k] == expected);
  }
  // Each device has made one buffer, and the devices have not copied anything explicitly.
  BOOST_TEST(driver.made == 2U);
  BOOST_TEST(driver.reads + driver.writes == 0U);
  for (const auto& memory : memories) {
    BOOST_TEST(memory->buffers() == 1U);
    memory->forget(host_block_of({block.data(), layout_of<double>(kSize, 1, kSize)}));
    BOOST_TEST(memory->buffers() == 0U);
  }
  BOOST_TEST(driver.buffers.empty());
  BOOST_TEST(driver.problems.empty());
}

BOOST_AUTO_TEST_CASE(a_device_sees_what_was_written_elsewhere_since_it_last_read) {
  const Handle handle = data(values, kSize);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(sum(0, handle) == i * 2.0 * kSize);
    add(1, handle);
    for (std::size_t k = 0; k < kSize; ++k) values[k] += 1;
  }
  BOOST_TEST(sum(0, handle) == 6.0 * kSize);
  for (std::size_t k = 0; k < kSize; ++k) BOOST_TEST_REQUIRE(values[k] == 6);
  devices.clear();
  memories.clear();
  BOOST_TEST(driver.buffers.empty());
  BOOST_TEST(driver.problems.empty());
}

BOOST_AUTO_TEST_CASE(data_that_are_not_aligned_are_copied) {
  const Handle handle = data(values + 1, kSize);
  add(0, handle);
  add(1, handle);
  BOOST_TEST(sum(0, handle) == 2.0 * kSize);
  BOOST_TEST(driver.writes == 3U);
  // The data of the two kernels that write are copied back. The data of the kernel that only reads are not copied
  // back.
  BOOST_TEST(driver.reads == 2U);
  BOOST_TEST(values[0] == 0);
  BOOST_TEST(values[kSize] == 2);
  BOOST_TEST(values[kSize + 1] == 0);
}

BOOST_AUTO_TEST_CASE(parts_of_a_matrix_are_copied_without_what_lies_between_their_columns) {
  constexpr std::int64_t kLd = 9;
  const Handle handle = data(values, 4, 5, kLd);
  add(0, handle);
  add(1, handle);
  for (std::int64_t column = 0; column < 5; ++column) {
    for (std::int64_t row = 0; row < kLd; ++row) {
      BOOST_TEST(values[column * kLd + row] == (row < 4 ? 2 : 0), row << ", " << column);
    }
  }
}

BOOST_AUTO_TEST_CASE(boxes_of_a_volume_are_copied_without_what_lies_around_them) {
  const Layout layout = layout_of<double>({.rows = 3, .cols = 2, .planes = 4, .ld = 5, .plane_stride = 17});
  const Handle box = tasks.graph.register_data({layout, block.data(), nullptr, {}});
  const Codelet add =
      Codelet("add", {AccessMode::read_write}).opencl([this](OpenClLaunch& launch, VolumeView<double> x) {
        BOOST_TEST(x.ld == 3);
        BOOST_TEST(x.plane_stride == 6);
        double* const at = content(launch, x.data);
        for (std::int64_t i = 0; i < x.rows * x.cols * x.planes; ++i) at[i] += 1 + static_cast<double>(i);
      });
  for (const std::size_t device : {0, 1}) {
    BOOST_TEST(run(device, add, {{box, AccessMode::read_write}}) == nullptr);
  }
  for (std::int64_t at = 0; at < 17 * 4; ++at) {
    const std::int64_t row = at % 17 % 5;
    const std::int64_t col = at % 17 / 5;
    const bool inside = row < 3 && col < 2;
    BOOST_TEST(values[at] == (inside ? 2 * static_cast<double>(1 + row + 3 * (col + 2 * (at / 17))) : 0), at);
  }
}

BOOST_AUTO_TEST_CASE(data_that_a_task_uses_in_two_ways_are_lent_once) {
  const Handle handle = data(values, kSize);
  const Handle other = data(values + 128, kSize);
  const Codelet both = Codelet("both", {AccessMode::read, AccessMode::write, AccessMode::read})
                           .opencl([this](OpenClLaunch& launch, MatrixView<const double> x, MatrixView<double> y,
                                          MatrixView<const double> again) {
                             for (std::size_t i = 0; i < kSize; ++i) {
                               content(launch, y.data)[i] =
                                   content(launch, x.data)[i] + content(launch, again.data)[i] + 1;
                             }
                           });
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(run(0, both, {read(handle), write(other), read(handle)}) == nullptr);
    for (std::size_t k = 0; k < kSize; ++k) BOOST_TEST_REQUIRE(values[128 + k] == 2 * i + 1);
    for (std::size_t k = 0; k < kSize; ++k) values[k] += 1;
  }
  BOOST_TEST(driver.problems.empty());
}

BOOST_AUTO_TEST_CASE(pieces_of_data_that_begin_at_the_same_address_are_told_apart) {
  for (std::size_t i = 0; i < 40; ++i) values[i] = static_cast<double>(i);
  const Handle empty = data(values, 0);
  const Handle part = data(values, 2, 4, 10);
  const Handle beginning = data(values, 10);
  const Handle whole = data(values, 10, 4);
  std::vector<std::vector<double>> saw;
  const auto see = [&](OpenClLaunch& launch, MatrixView<const double> x) {
    const double* const at = content(launch, x.data);
    saw.emplace_back(at, at + x.rows * x.cols);
  };
  using View = MatrixView<const double>;
  const Codelet look_at_all = Codelet("all", {AccessMode::read, AccessMode::read, AccessMode::read, AccessMode::read})
                                  .opencl([&](OpenClLaunch& launch, View a, View b, View c, View d) {
                                    for (const View& view : {a, b, c, d}) see(launch, view);
                                  });
  BOOST_TEST(run(0, look_at_all, {read(empty), read(part), read(beginning), read(whole)}) == nullptr);
  BOOST_TEST_REQUIRE(saw.size() == 4U);
  BOOST_TEST((saw[0] == std::vector<double>()));
  BOOST_TEST((saw[1] == std::vector<double>{0, 1, 10, 11, 20, 21, 30, 31}));
  BOOST_TEST((saw[2] == std::vector<double>(values, values + 10)));
  BOOST_TEST((saw[3] == std::vector<double>(values, values + 40)));
}

BOOST_AUTO_TEST_CASE(what_a_kernel_wrote_before_it_threw_is_back_and_the_next_task_runs) {
  const Handle handle = data(values, kSize);
  const Codelet throwing =
      Codelet("throwing", {AccessMode::read_write}).opencl([this](OpenClLaunch& launch, MatrixView<double> x) {
        content(launch, x.data)[0] = 5;
        throw std::runtime_error("planned");
      });
  const auto cause = run(0, throwing, {{handle, AccessMode::read_write}});
  BOOST_TEST_REQUIRE(cause != nullptr);
  BOOST_TEST(tests::contains(cause->message, "planned"));
  BOOST_TEST(values[0] == 5);
  memories[0]->forget(host_block_of({block.data(), layout_of<double>(kSize, 1, kSize)}));
  BOOST_TEST(memories[0]->buffers() == 0U);
  BOOST_TEST(driver.problems.empty());
}

BOOST_AUTO_TEST_CASE(data_without_a_buffer_are_worked_on_as_by_a_core_or_refused) {
  // The device allows at most 4096 bytes in a buffer.
  const Handle small = data(values + 600, kSize);
  const Handle large = data(values, 513);
  const Codelet only_opencl =
      Codelet("only", {AccessMode::read, AccessMode::read_write})
          .opencl([](OpenClLaunch&, MatrixView<const double>, MatrixView<double>) { BOOST_ERROR("called"); });
  const auto cause = run(0, only_opencl, {read(small), {large, AccessMode::read_write}});
  BOOST_TEST_REQUIRE(cause != nullptr);
  BOOST_TEST(tests::contains(cause->message, "data of 4104 bytes are more than the 4096 bytes"));
  // Before the failure the device had already acquired the other data. These data belong to the host again.
  for (std::size_t k = 0; k < kSize; ++k) values[600 + k] = 3;
  BOOST_TEST(sum(0, small) == 3.0 * kSize);

  const Codelet either =
      Codelet("either", {AccessMode::read, AccessMode::read_write})
          .opencl([](OpenClLaunch&, MatrixView<const double>, MatrixView<double>) { BOOST_ERROR("called"); })
          .cpu([](MatrixView<const double> x, MatrixView<double> y) { y(512, 0) += x(0, 0); });
  const Handle again = data(values, 513);
  BOOST_TEST(run(0, either, {read(small), {again, AccessMode::read_write}}) == nullptr);
  BOOST_TEST(values[512] == 3);
  BOOST_TEST(driver.problems.empty());
}

BOOST_AUTO_TEST_CASE(a_device_that_maps_elsewhere_fails_its_tasks) {
  const Handle handle = data(values, kSize);
  driver.fault = tests::CopyingDriver::Fault::maps_elsewhere;
  const auto cause = run(0, add_one, {{handle, AccessMode::read_write}});
  BOOST_TEST_REQUIRE(cause != nullptr);
  BOOST_TEST(tests::contains(cause->message, "mapped host memory elsewhere"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
