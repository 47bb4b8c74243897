#include "actors/workers/devices/opencl_device.hpp"

#include <CL/cl_icd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "platform/opencl/opencl_accelerator.hpp"
#include "tests/actors/graph_fixture.hpp"
#include "tests/support/opencl/opencl_test_devices.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/opencl.hpp"

namespace troupe::workers {

namespace opencl_device {

using tests::GraphFixture;

/// Records the tasks that have ended, in their order.
class Ended final : public DeviceListener {
 public:
  struct End {
    graph::Task* task;
    graph::FailureLog::Cause cause;
    Duration took;
  };

  void done(graph::Task& task, graph::FailureLog::Cause cause, Duration took) noexcept override {
    const std::lock_guard lock(mutex_);
    ends_.push_back({&task, std::move(cause), took});
    changed_.notify_all();
  }
  std::vector<End> wait(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ends_.size() >= count; });
    return ends_;
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return ends_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<End> ends_;
};

/// A device whose kernels wait until the test releases them. Kernels are numbered in the order of their starts.
struct Fixture {
  Fixture() {
    // Most of these tests use device 2, because a test can block the queues of this device.
    if (tests::has_opencl_devices()) use(2);
  }
  void use(std::size_t number) {
    device.reset();
    accelerator = platform::OpenClAccelerator::open(platform::list_opencl_devices().devices[number], Bytes{1U << 20U})
                      .value_or_throw();
    OpenClDeviceOptions options;
    options.executor = {.graph = &tasks.graph,
                        .worker = WorkerId(1),
                        .name = accelerator->name(),
                        .kind = DeviceKind::opencl,
                        .find_replica = [this](const graph::DataRecord& data) {
                          return DataView{accelerator->memory(), data.view.layout.packed()};
                        }};
    options.data = accelerator.get();
    device = make_opencl_device(std::move(options), listener).value_or_throw();
  }
  ~Fixture() {
    for (const cl_event event : events) (void)api().clReleaseEvent(event);
    for (const cl_event event : markers) (void)api().clReleaseEvent(event);
  }

  [[nodiscard]] const _cl_icd_dispatch& api() const { return *accelerator->device().api; }
  void hold(OpenClLaunch& launch) {
    cl_int status = CL_SUCCESS;
    events.push_back(api().clCreateUserEvent(launch.context(), &status));
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
    // The test keeps a reference to the event, because pocl 3.1 uses a failed event after it has released the event.
    status = api().clEnqueueMarkerWithWaitList(launch.queue(), 1, &events.back(), &markers.emplace_back());
    BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  }
  void release(std::size_t number, cl_int status = CL_COMPLETE) {
    BOOST_TEST_REQUIRE(api().clSetUserEventStatus(events.at(number), status) == CL_SUCCESS);
  }
  graph::Task& ready(const Codelet& codelet, const std::vector<Access>& accesses = {}) {
    tasks.submit(codelet, accesses);
    graph::TaskList list = tasks.take_ready();
    BOOST_TEST_REQUIRE(!list.empty());
    return *list.pop_front();
  }
  void complete(graph::Task& task, graph::FailureLog::Cause cause = nullptr) {
    graph::TaskList more;
    tasks.graph.complete(task, std::move(cause), WorkerId(1), more);
  }

  GraphFixture tasks{2, true};
  Ended listener;
  std::unique_ptr<platform::OpenClAccelerator> accelerator;
  std::unique_ptr<Device> device;
  std::vector<cl_event> events;
  std::vector<cl_event> markers;
  const Codelet holding = Codelet("holding", {}).opencl([this](OpenClLaunch& launch) { hold(launch); });
};

}  // namespace opencl_device

BOOST_FIXTURE_TEST_SUITE(opencl_device, Fixture)

BOOST_AUTO_TEST_CASE(a_kernel_that_has_ended_when_it_was_enqueued_ends_its_task_inside_start) {
  if (!device) return;
  use(0);
  bool called = false;
  const Codelet codelet = Codelet("at once", {}).opencl([&](OpenClLaunch& launch) {
    called = true;
    BOOST_TEST(launch.device() == accelerator->device().id);
    BOOST_TEST(launch.context() == accelerator->context());
    BOOST_TEST((launch.worker() == WorkerId(1)));
  });
  for (int i = 0; i < 5; ++i) {
    called = false;
    graph::Task& task = ready(codelet);
    const Started started = device->start(task);
    BOOST_TEST(called);
    BOOST_TEST(started.finished);
    BOOST_TEST(!started.cause);
    complete(task);
  }
  BOOST_TEST(listener.count() == 0U);
}

BOOST_AUTO_TEST_CASE(tasks_end_when_what_they_enqueued_has_ended) {
  if (!device) return;
  graph::Task& first = ready(holding);
  graph::Task& second = ready(holding);
  BOOST_TEST(!device->start(first).finished);
  BOOST_TEST(!device->start(second).finished);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  BOOST_TEST(listener.count() == 0U);
  release(1);
  BOOST_TEST(listener.wait(1)[0].task == &second);
  // The slot of the task `second` is free again.
  graph::Task& third = ready(holding);
  BOOST_TEST(!device->start(third).finished);
  release(0);
  BOOST_TEST(listener.wait(2)[1].task == &first);
  release(2);
  const auto ends = listener.wait(3);
  BOOST_TEST(ends[2].task == &third);
  for (const Ended::End& end : ends) {
    BOOST_TEST(!end.cause);
    complete(*end.task);
  }
}

BOOST_AUTO_TEST_CASE(tasks_that_share_the_device_share_its_time) {
  if (!device) return;
  const auto begin = std::chrono::steady_clock::now();
  graph::Task& first = ready(holding);
  graph::Task& second = ready(holding);
  BOOST_TEST(!device->start(first).finished);
  BOOST_TEST(!device->start(second).finished);
  // This sleep is long compared with the time in which the driver begins a kernel, even on a busy machine.
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  release(0);
  (void)listener.wait(1);
  release(1);
  const auto ends = listener.wait(2);
  const Duration all = std::chrono::steady_clock::now() - begin;
  Duration charged{};
  for (const Ended::End& end : ends) {
    BOOST_TEST((end.took >= Duration::zero()));
    charged += end.took;
    complete(*end.task);
  }
  BOOST_TEST((charged <= all));
  BOOST_TEST((charged >= std::chrono::milliseconds(15)));
  BOOST_TEST((ends[0].took <= all * 2 / 3));
}

BOOST_AUTO_TEST_CASE(what_a_kernel_throws_is_told_when_what_it_enqueued_has_ended) {
  if (!device) return;
  const Codelet throwing = Codelet("throwing", {}).opencl([this](OpenClLaunch& launch) {
    hold(launch);
    throw std::runtime_error("planned");
  });
  graph::Task& task = ready(throwing);
  BOOST_TEST(!device->start(task).finished);
  BOOST_TEST(listener.count() == 0U);
  release(0);
  const Ended::End end = listener.wait(1)[0];
  BOOST_TEST_REQUIRE(end.cause != nullptr);
  BOOST_TEST(tests::contains(end.cause->message, "planned"));
  complete(task, end.cause);
}

BOOST_AUTO_TEST_CASE(a_device_that_ends_waits_for_what_is_in_flight) {
  if (!device) return;
  graph::Task& first = ready(holding);
  graph::Task& second = ready(holding);
  BOOST_TEST(!device->start(first).finished);
  BOOST_TEST(!device->start(second).finished);
  std::thread releasing([this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    release(1);
    release(0);
  });
  device.reset();
  const std::size_t told = listener.count();
  // The thread `releasing` makes checks, too, so it must end before this thread makes checks again.
  releasing.join();
  BOOST_TEST(told == 2U);
  for (const Ended::End& end : listener.wait(2)) complete(*end.task);
}

BOOST_AUTO_TEST_CASE(a_task_whose_data_have_no_buffer_fails_before_its_kernel) {
  if (!device) return;
  bool called = false;
  const Codelet codelet =
      Codelet("large", {AccessMode::read}).opencl([&](OpenClLaunch&, const double&) { called = true; });
  double value = 0;
  const Handle handle = tasks.scalar(value);
  platform::OpenClDevice tiny = platform::list_opencl_devices().devices[0];
  tiny.largest_buffer = {4};
  // When the accelerator is opened, the measurement of the copy speed also uses buffers of at most this size.
  const auto memory = platform::OpenClAccelerator::open(tiny, Bytes{1U << 20U}).value_or_throw();
  OpenClDeviceOptions options;
  options.executor = {.graph = &tasks.graph,
                      .worker = WorkerId(1),
                      .name = memory->name(),
                      .kind = DeviceKind::opencl,
                      .find_replica = [&](const graph::DataRecord& data) {
                        return DataView{memory->memory(), data.view.layout.packed()};
                      }};
  options.data = memory.get();
  const auto on_tiny = make_opencl_device(std::move(options), listener).value_or_throw();
  graph::Task& task = ready(codelet, {read(handle)});
  const Started started = on_tiny->start(task);
  BOOST_TEST(started.finished);
  BOOST_TEST_REQUIRE(started.cause != nullptr);
  BOOST_TEST(tests::contains(started.cause->message, "8 bytes are more than the 4 bytes"));
  BOOST_TEST(!called);
  complete(task, started.cause);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
