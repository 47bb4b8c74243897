// Tests of tasks on a GPU: how they run, how their times are measured, and how one task fails without the others.
#include "actors/workers/devices/cuda_device.hpp"

#include <chrono>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "graph/codelets/completion_check.hpp"
#include "platform/cuda/cuda_api.hpp"
#include "tests/actors/workers/devices/cuda_device_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(cuda_device)

namespace {

using tests::contains;
using Fixture = CudaDeviceFixture;

BOOST_AUTO_TEST_CASE(it_has_the_name_of_its_gpu) {
  const Fixture f;
  if (!f.needs_fake()) return;
  BOOST_TEST(f.device->name() == "GPU 0 (Fake GPU 0)");
}

BOOST_AUTO_TEST_CASE(kernels_work_on_the_gpus_memory_and_end_when_polled) {
  Fixture f;
  if (!f.needs_fake()) return;
  f.fake->pause();
  graph::Task* const task = f.submit(f.adder(5), {f.value(3)});
  f.start(task);
  f.device->poll();
  // The stream is paused, so nothing has run: `poll` must not do the work itself.
  BOOST_TEST(f.listener.all.empty());
  f.fake->resume();
  f.poll_until(1);
  BOOST_TEST((f.listener.all[0].task == task));
  BOOST_TEST(!f.listener.all[0].cause);
  BOOST_TEST(f.listener.all[0].took.count() >= 0);
  BOOST_TEST(f.values[3] == 0);
  f.copy(platform::CopyDirection::to_host);
  BOOST_TEST(f.values[3] == 5);
}

BOOST_AUTO_TEST_CASE(each_slot_has_a_stream_and_tasks_are_on_the_gpu_together) {
  Fixture f;
  if (!f.needs_fake()) return;
  std::set<void*> streams;
  const Codelet codelet =
      Codelet("look", {}).cuda([&](const KernelContext& context) { streams.insert(context.stream); });
  f.fake->pause();
  for (int i = 0; i < 4; ++i) f.start(f.submit(codelet));
  BOOST_TEST(streams.size() == 4U);
  BOOST_TEST(!streams.contains(nullptr));
  f.fake->resume();
  f.poll_until(4);
  // A fifth task uses one of the four slots again, with its stream.
  f.start(f.submit(codelet));
  f.poll_until(5);
  BOOST_TEST(streams.size() == 4U);
}

BOOST_AUTO_TEST_CASE(what_a_task_took_is_measured_on_its_stream) {
  Fixture f({.devices = 1, .least_ns = 3'000'000});
  if (!f.needs_fake()) return;
  // The second task starts 30 ms after the first one has ended. Each task measures only its own kernel.
  f.start(f.submit(f.adder(1), {f.value(0)}));
  f.poll_until(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  f.start(f.submit(f.adder(1), {f.value(1)}));
  f.poll_until(2);
  for (const auto& done : f.listener.all) BOOST_TEST(done.took.count() >= 3'000'000);
  WorkerTrace::Content content = f.trace.take(f.clock.now());
  std::vector<TaskSpan> spans;
  content.tasks.for_each([&](const TaskSpan& span) { spans.push_back(span); });
  BOOST_TEST_REQUIRE(spans.size() == 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    BOOST_TEST((spans[i].end - spans[i].start).count() == f.listener.all[i].took.count());
    BOOST_TEST(!spans[i].failed);
  }
}

BOOST_AUTO_TEST_CASE(tasks_that_run_on_the_gpu_at_once_divide_the_time) {
  constexpr Duration kAlone = std::chrono::milliseconds(2);
  Fixture f({.devices = 1, .shared_ns = kAlone.count()});
  if (!f.needs_fake()) return;
  // One task runs alone, then four tasks run at once. Each time a task ends, the test starts one more.
  f.start(f.submit(f.adder(1), {f.value(0)}));
  f.poll_until(1);
  f.fake->pause();
  for (std::size_t i = 0; i < 4; ++i) f.start(f.submit(f.adder(1), {f.value(i)}));
  f.fake->resume();
  for (std::size_t i = 0; i < 4; ++i) {
    f.poll_until(2 + i);
    f.start(f.submit(f.adder(1), {f.value(4 + i)}));
  }
  f.poll_until(9);
  Duration charged{};
  for (const auto& done : f.listener.all) charged += done.took;
  // On an idle machine the tolerance could be a tenth. If each task were charged the whole time that it spent on the
  // GPU, the sum would be much larger.
  BOOST_TEST(std::chrono::duration<double>(charged) / kAlone == 9, boost::test_tools::tolerance(0.5));
  // The trace shows the whole time of each task, so its sum is larger.
  WorkerTrace::Content content = f.trace.take(f.clock.now());
  Duration ran{};
  content.tasks.for_each([&](const TaskSpan& span) { ran += span.end - span.start; });
  BOOST_TEST((ran > 1.5 * charged));
}

BOOST_AUTO_TEST_CASE(a_kernel_that_throws_fails_its_task_when_what_it_enqueued_has_ended) {
  Fixture f;
  if (!f.needs_fake()) return;
  const Codelet codelet = Codelet("half", {AccessMode::read_write}).cuda([&](::CUstream_st* stream, double& to) {
    (*f.launcher)(stream, "add", &to, 1.0);
    throw Error(ErrorCode::numerical, "changed its mind");
  });
  f.fake->pause();
  graph::Task* const task = f.submit(codelet, {f.value(0)}, {.name = "the third"});
  f.start(task);
  f.device->poll();
  BOOST_TEST(f.listener.all.empty());
  f.fake->resume();
  f.poll_until(1);
  BOOST_TEST_REQUIRE(f.listener.all[0].cause != nullptr);
  const Failure& failure = *f.listener.all[0].cause;
  BOOST_TEST((failure.code == ErrorCode::numerical));
  for (const char* part : {"'the third'", "codelet half", "worker 2", "GPU 0 (Fake GPU 0)", "changed its mind"}) {
    BOOST_TEST_CONTEXT(failure.message << " should tell of " << part) { BOOST_TEST(contains(failure.message, part)); }
  }
  // The device still works.
  f.start(f.submit(f.adder(1), {f.value(1)}));
  f.poll_until(2);
  BOOST_TEST(!f.listener.all[1].cause);
}

BOOST_AUTO_TEST_CASE(a_launch_that_fails_and_that_its_kernel_does_not_look_at_fails_the_task) {
  Fixture f;
  if (!f.needs_fake()) return;
  const Codelet careless = Codelet("careless", {}).cuda([&](const KernelContext& context) {
    int no_kernel = 0;
    (void)f.launcher->api().cudaLaunchKernel(&no_kernel, {1, 1, 1}, {1, 1, 1}, nullptr, 0,
                                             static_cast<cudaStream_t>(context.stream));
  });
  f.start(f.submit(careless));
  f.poll_until(1);
  BOOST_TEST_REQUIRE(f.listener.all[0].cause != nullptr);
  BOOST_TEST((f.listener.all[0].cause->code == ErrorCode::kernel_failed));
  BOOST_TEST(contains(f.listener.all[0].cause->message, "launching on the GPU failed"));
  // The error of this task must not appear in the next task.
  f.start(f.submit(f.adder(1), {f.value(1)}));
  f.poll_until(2);
  BOOST_TEST(!f.listener.all[1].cause);
}

BOOST_AUTO_TEST_CASE(checks_are_made_when_the_work_has_ended) {
  Fixture f;
  if (!f.needs_fake()) return;
  double* const status = reinterpret_cast<double*>(f.gpu->memory());
  const Codelet codelet = Codelet("checked", {AccessMode::read_write}).cuda([&](::CUstream_st* stream, double& to) {
    (*f.launcher)(stream, "add", &to, 7.0);
    // The fake GPU's memory is host memory, so the check can read it directly.
    check_at_completion([status] {
      if (*status == 7.0) throw Error(ErrorCode::numerical, "leading minor 7 is not positive definite");
    });
  });
  f.fake->pause();
  f.start(f.submit(codelet, {f.value(0)}));
  f.device->poll();
  BOOST_TEST(f.listener.all.empty());
  f.fake->resume();
  f.poll_until(1);
  BOOST_TEST_REQUIRE(f.listener.all[0].cause != nullptr);
  BOOST_TEST((f.listener.all[0].cause->code == ErrorCode::numerical));
  BOOST_TEST(contains(f.listener.all[0].cause->message, "leading minor 7"));
  // The next task in the slot must not run the checks of this task.
  for (std::size_t i = 0; i < 4; ++i) f.start(f.submit(f.adder(0), {f.value(1 + i)}));
  f.poll_until(5);
  for (std::size_t i = 1; i < 5; ++i) BOOST_TEST(!f.listener.all[i].cause);
}

BOOST_AUTO_TEST_CASE(a_task_that_reduces_is_refused) {
  Fixture f;
  if (!f.needs_fake()) return;
  const Handle handle = f.value(0);
  f.tasks.graph.set_reduction(handle, sum_reduction<double>()).value_or_throw();
  Codelet codelet("sum", {AccessMode::reduce});
  bool called = false;
  codelet.implement(DeviceKind::cuda, [&](const KernelContext&) { called = true; });
  const Started refused = f.device->start(*f.submit(codelet, {handle}));
  BOOST_TEST(refused.finished);
  BOOST_TEST_REQUIRE(refused.cause != nullptr);
  BOOST_TEST((refused.cause->code == ErrorCode::invalid_argument));
  BOOST_TEST(!called);
}

BOOST_AUTO_TEST_CASE(a_device_that_ends_waits_for_its_tasks) {
  Fixture f;
  if (!f.needs_fake()) return;
  f.fake->pause();
  for (std::size_t i = 0; i < 3; ++i) f.start(f.submit(f.adder(2), {f.value(i)}));
  std::thread ending([&] { f.device.reset(); });
  f.fake->resume();
  ending.join();
  BOOST_TEST_REQUIRE(f.listener.all.size() == 3U);
  for (const auto& done : f.listener.all) BOOST_TEST(!done.cause);
  f.copy(platform::CopyDirection::to_host);
  for (std::size_t i = 0; i < 3; ++i) BOOST_TEST(f.values[i] == 2);
}

BOOST_AUTO_TEST_CASE(what_a_kernel_prepares_for_later_ones_is_not_in_its_time) {
  Fixture f;
  if (!f.needs_fake()) return;
  using Clock = std::chrono::steady_clock;
  Clock::time_point prepared;
  const Codelet codelet = Codelet("add", {AccessMode::read_write}).cuda([&](::CUstream_st* stream, double& to) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    prepared = Clock::now();
    graph::count_time_from_here();
    (*f.launcher)(stream, "add", &to, 1.0);
  });
  f.start(f.submit(codelet, {f.value(0)}));
  f.poll_until(1);
  const Duration took = f.listener.all[0].took;
  BOOST_TEST((took >= Duration::zero() && took <= Clock::now() - prepared));
}

BOOST_AUTO_TEST_CASE(two_gpus_have_streams_of_their_own_whichever_thread_uses_them) {
  Fixture f;
  if (!f.needs_fake()) return;
  const auto second = platform::open_cuda_accelerator(1, Bytes{kMiB}).value_or_throw();
  CudaDeviceOptions options;
  options.executor.graph = &f.tasks.graph;
  options.executor.worker = WorkerId(1);
  options.executor.kind = DeviceKind::cuda;
  options.executor.name = second->name();
  options.executor.find_replica = [&](const graph::DataRecord& data) {
    DataView view = data.view;
    view.data = second->memory();
    return view;
  };
  options.accelerator = second.get();
  auto other = make_cuda_device(std::move(options), f.listener).value_or_throw();
  // One thread starts tasks on both devices in turn. The fake GPU refuses a stream that belongs to the other device.
  const auto* place = reinterpret_cast<const double*>(second->memory());
  const Codelet set = Codelet("set", {AccessMode::read_write}).cuda([&](::CUstream_st* stream, double& to) {
    BOOST_TEST(f.launcher->api().cudaMemsetAsync(&to, 0, sizeof to, stream) == cudaSuccess);
    (*f.launcher)(stream, "add", &to, 9.0);
  });
  BOOST_TEST(!other->start(*f.submit(set, {f.value(0)})).finished);
  f.start(f.submit(f.adder(1), {f.value(1)}));
  while (f.listener.all.size() < 2) {
    f.device->poll();
    other->poll();
  }
  for (const auto& done : f.listener.all) BOOST_TEST(!done.cause);
  BOOST_TEST(*place == 9.0);
  other.reset();
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
