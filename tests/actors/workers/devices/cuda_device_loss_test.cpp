// Tests of GPUs that are lost while tasks run on them, or between tasks.
#include <string>
#include <vector>

#include "tests/actors/workers/devices/cuda_device_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::workers {

BOOST_AUTO_TEST_SUITE(cuda_device_loss)

namespace {

using tests::contains;
using Fixture = CudaDeviceFixture;
using Listener = DoneTasks;

BOOST_AUTO_TEST_CASE(a_fault_fails_all_tasks_on_the_gpu_and_the_device_does_nothing_more) {
  Fixture f({.devices = 2, .fault_in_launch = 2});
  if (!f.needs_fake()) return;
  int accelerator_told = 0;
  f.gpu->on_lost([&](const Failure& why) {
    ++accelerator_told;
    BOOST_TEST((why.code == ErrorCode::device_lost));
  });
  f.fake->pause();
  std::vector<graph::Task*> started;
  for (std::size_t i = 0; i < 3; ++i) {
    started.push_back(f.submit(f.adder(1), {f.value(i)}, {.name = "task " + std::to_string(i)}));
    f.start(started.back());
  }
  f.fake->resume();
  f.poll_until(3);
  BOOST_TEST(f.lost_calls == 1);
  std::size_t failed = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Listener::Done* const done = f.listener.find(started[i]);
    BOOST_TEST_REQUIRE(done != nullptr);
    // The two other tasks may have ended before the fault, so they may have succeeded.
    if (!done->cause) continue;
    ++failed;
    BOOST_TEST((done->cause->code == ErrorCode::device_lost));
    for (const std::string& part : {"'task " + std::to_string(i) + "'", std::string("GPU 0 (Fake GPU 0)"),
                                    std::string("cudaErrorIllegalAddress")}) {
      BOOST_TEST_CONTEXT(done->cause->message << " should tell of " << part) {
        BOOST_TEST(contains(done->cause->message, part));
      }
    }
  }
  BOOST_TEST(failed >= 1U);
  BOOST_TEST(f.listener.find(started[1])->cause != nullptr);
  // The device reported the loss before it reported the tasks that failed because of the loss.
  BOOST_TEST(f.done_when_lost == 3 - failed);
  BOOST_TEST(f.gpu->lost());
  BOOST_TEST(accelerator_told == 1);
  graph::Task* const late = f.submit(f.adder(1), {f.value(5)});
  const Started refused = f.device->start(*late);
  BOOST_TEST(refused.finished);
  BOOST_TEST_REQUIRE(refused.cause != nullptr);
  BOOST_TEST((refused.cause->code == ErrorCode::device_lost));
  BOOST_TEST(f.lost_calls == 1);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_touches_foreign_memory_loses_the_gpu) {
  Fixture f;
  if (!f.needs_fake()) return;
  const Codelet wild = Codelet("wild", {}).cuda([&](const KernelContext& context) {
    (*f.launcher)(context.stream, "add", reinterpret_cast<double*>(f.gpu->memory() + kMiB), 1.0);
  });
  f.fake->pause();
  f.start(f.submit(wild));
  f.fake->resume();
  f.poll_until(1);
  BOOST_TEST_REQUIRE(f.listener.all[0].cause != nullptr);
  BOOST_TEST((f.listener.all[0].cause->code == ErrorCode::device_lost));
  BOOST_TEST(f.lost_calls == 1);
}

BOOST_AUTO_TEST_CASE(a_loss_that_a_copy_finds_fails_what_is_started_next) {
  Fixture f;
  if (!f.needs_fake()) return;
  f.gpu->lose({ErrorCode::device_lost, "a copy"});
  const Started refused = f.device->start(*f.submit(f.adder(1), {f.value(0)}));
  BOOST_TEST(refused.finished);
  BOOST_TEST_REQUIRE(refused.cause != nullptr);
  BOOST_TEST((refused.cause->code == ErrorCode::device_lost));
  BOOST_TEST(f.lost_calls == 1);
}

BOOST_AUTO_TEST_CASE(a_fault_between_tasks_fails_the_next) {
  Fixture f;
  if (!f.needs_fake()) return;
  f.fake->break_device(0);
  const Started refused = f.device->start(*f.submit(f.adder(1), {f.value(0)}));
  BOOST_TEST(refused.finished);
  BOOST_TEST_REQUIRE(refused.cause != nullptr);
  BOOST_TEST((refused.cause->code == ErrorCode::device_lost));
  BOOST_TEST(f.lost_calls == 1);
}

BOOST_AUTO_TEST_CASE(a_device_that_is_lost_ends_with_all_its_tasks_failed) {
  Fixture f;
  if (!f.needs_fake()) return;
  f.fake->pause();
  for (std::size_t i = 0; i < 3; ++i) f.start(f.submit(f.adder(2), {f.value(i)}));
  f.fake->break_device(0);
  f.fake->resume();
  f.device.reset();
  BOOST_TEST_REQUIRE(f.listener.all.size() == 3U);
  for (const auto& done : f.listener.all) {
    BOOST_TEST_REQUIRE(done.cause != nullptr);
    BOOST_TEST((done.cause->code == ErrorCode::device_lost));
  }
}

BOOST_AUTO_TEST_CASE(every_task_on_a_lost_gpu_ends_though_there_is_no_memory_to_say_why) {
  for (std::size_t allocations = 0; allocations < 12; ++allocations) {
    Fixture f;
    if (!f.needs_fake()) return;
    f.listener.all.reserve(3);
    for (std::size_t i = 0; i < 3; ++i) f.start(f.submit(f.adder(2), {f.value(i)}));
    f.fake->break_device(0);
    // Allocations fail only from here on, because the fake GPU itself needs memory before.
    f.allocations_after_loss = allocations;
    while (f.lost_calls == 0) f.device->poll();
    f.memory.reset();
    BOOST_TEST_REQUIRE(f.listener.all.size() == 3U);
    for (const auto& done : f.listener.all) {
      BOOST_TEST_REQUIRE(done.cause != nullptr);
      BOOST_TEST((done.cause->code == ErrorCode::device_lost));
    }
    BOOST_TEST(f.device->start(*f.submit(f.adder(1), {f.value(0)})).finished);
    BOOST_TEST(f.lost_calls == 1);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
