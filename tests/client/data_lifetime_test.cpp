// Tests of the ends of registrations: in the program, in kernels and in callbacks, on cores and on emulated GPUs.
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/client/fixture.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(data_lifetime)

namespace {

/// A gate at which a kernel waits until the test opens the gate.
struct Gate {
  std::atomic<bool> begun{false};
  std::atomic<bool> open{false};

  void pass() {
    begun = true;
    while (!open) std::this_thread::yield();
  }
  void wait_until_begun() const {
    while (!begun) std::this_thread::yield();
  }
};

RuntimeOptions with_gpus() {
  RuntimeOptions options = with_workers(2);
  options.accelerators.emulated_gpus.resize(2);
  return options;
}

/// Returns a codelet whose kernel runs on cores and on emulated GPUs.
template <class Kernel>
Codelet everywhere(std::string name, std::vector<AccessMode> modes, const Kernel& kernel) {
  Codelet codelet(std::move(name), std::move(modes));
  codelet.implement(DeviceKind::cpu_core, kernel);
  codelet.implement(DeviceKind::emulated, kernel);
  return codelet;
}

BOOST_AUTO_TEST_CASE(temporaries_of_the_runtime_hold_up_no_pipeline) {
  Runtime runtime(with_workers(2));
  Gate gate;
  const Codelet waits = Codelet("waits", {AccessMode::write}).cpu([&](VectorView<double> x) {
    gate.pass();
    x[0] = 1;
  });
  for (int i = 0; i < 3; ++i) {
    const Data x = runtime.allocate_vector<double>(10);
    runtime.submit(waits, {x});
  }
  // The destructors did not wait for the kernel. If they had waited, nobody would open the gate.
  gate.open = true;
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(recursive_kernels_may_have_temporaries) {
  for (const RuntimeOptions& options : {with_workers(2), with_gpus(), deterministic(2)}) {
    Runtime runtime(options);
    long sum = 0;
    const Data total = runtime.scalar(sum, "total");
    const Codelet set = everywhere("set", {AccessMode::write}, [](const KernelContext& c) { c.scalar<long>(0) = 1; });
    const Codelet add = everywhere("add", {AccessMode::read, AccessMode::commute},
                                   [](const KernelContext& c) { c.scalar<long>(1) += c.scalar<const long>(0); });
    Codelet grow("grow", {});
    grow.cpu([&](int depth) {
      const Data one = runtime.allocate_scalar<long>("one");
      runtime.submit(set, {one});
      runtime.submit(add, {one, total});
      for (int i = 0; i < 2 && depth > 0; ++i) runtime.submit(grow, {}, args(depth - 1));
    });
    runtime.submit(grow, {}, args(5));
    runtime.wait();
    BOOST_TEST(sum == 63);
  }
}

BOOST_AUTO_TEST_CASE(the_frame_of_a_kernel_is_safe_from_tasks_on_its_data) {
  Runtime runtime(with_workers(1));
  std::atomic<long*> frame{nullptr};
  const Codelet slow = Codelet("slow", {AccessMode::read_write}).cpu([](long& v) { v = 42; });
  const Codelet outer = Codelet("outer", {}).cpu([&](int) {
    long local = 7;
    frame = &local;
    {
      const Data data = runtime.scalar(local, "local");
      runtime.submit(slow, {data});
    }
    // This registers memory that is already registered, as if a later variable had the same address.
    const Data next = runtime.scalar(local, "next");
    BOOST_TEST(local == 7);
  });
  const Future future = runtime.submit(outer, {}, args(1), {.name = "the outer"});
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error,
                        failure(ErrorCode::wait_in_kernel, "'the outer' (codelet outer) failed", "'local' is memory of",
                                "1 task failed, 1 task was cancelled"));
  BOOST_TEST((future.status() == TaskStatus::failed));
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(a_task_that_runs_on_memory_that_ends_is_waited_for) {
  Runtime runtime(with_workers(2));
  Gate gate;
  std::atomic<bool> written{false};
  const Codelet slow = Codelet("slow", {AccessMode::read_write}).cpu([&](long& v) {
    gate.pass();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    v = 42;
    written = true;
  });
  long seen = 0;
  const Codelet outer = Codelet("outer", {}).cpu([&](int) {
    long local = 7;
    {
      const Data data = runtime.scalar(local, "local");
      runtime.submit(slow, {data});
      gate.wait_until_begun();
      gate.open = true;
    }
    seen = written ? local : -1;
  });
  runtime.submit(outer, {}, args(1));
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::wait_in_kernel, "'local'"));
  BOOST_TEST(seen == 42);
}

BOOST_AUTO_TEST_CASE(kernels_may_end_registrations_while_the_runtime_goes) {
  Gate gate;
  bool ran = false;
  const Codelet late = Codelet("late", {AccessMode::read_write}).cpu([&](long&) { ran = true; });
  std::thread opener([&] {
    gate.wait_until_begun();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    gate.open = true;
  });
  {
    Runtime runtime(with_workers(1));
    const Codelet outer = Codelet("outer", {}).cpu([&](int) {
      gate.pass();
      long local = 7;
      const Data data = runtime.scalar(local, "local");
      runtime.submit(late, {data});
    });
    runtime.submit(outer, {}, args(1));
  }
  opener.join();
  BOOST_TEST(!ran);
}

BOOST_AUTO_TEST_CASE(a_callback_that_ends_a_registration_too_early_is_reported) {
  Runtime runtime(with_workers(1));
  long v = 0;
  const Codelet slow = Codelet("slow", {AccessMode::read_write}).cpu([](long& x) { x = 42; });
  const Codelet first = Codelet("first", {}).cpu([](int) {});
  runtime.submit(first, {}, args(1), {.callback = [&](const TaskOutcome&) {
                   const Data data = runtime.scalar(v, "v");
                   runtime.submit(slow, {data});
                   runtime.submit(slow, {data});
                   runtime.submit(slow, {data});
                 }});
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::wait_in_kernel, "'v' is memory of the program"));
  const Data again = runtime.scalar(v, "again");
  runtime.submit(slow, {again});
  runtime.wait();
  BOOST_TEST(v == 42);
}

BOOST_AUTO_TEST_CASE(what_a_kernel_registers_and_nobody_uses_goes_silently) {
  for (const RuntimeOptions& options : {with_workers(1), with_gpus()}) {
    Runtime runtime(options);
    const Codelet quick = Codelet("quick", {}).cpu([&](int n) {
      std::array<long, 2> local{};
      for (int i = 0; i < n; ++i) const Data data = runtime.vector(local, "local");
    });
    runtime.submit(quick, {}, args(100));
    runtime.wait();
  }
}

BOOST_AUTO_TEST_CASE(copies_of_memory_of_the_runtime_may_outlast_its_registration) {
  RuntimeOptions options = with_gpus();
  options.accelerators.emulated_gpus[0].to_device_bytes_per_s = 1e8;
  options.accelerators.emulated_gpus[1].to_device_bytes_per_s = 1e8;
  Runtime runtime(options);
  const Codelet fill = Codelet("fill", {AccessMode::write}).cpu([](VectorView<double> x) { x[0] = 1; });
  Codelet use("use", {AccessMode::read});
  use.implement(DeviceKind::emulated, [](const KernelContext& c) {
    if (c.vector<const double>(0)[0] != 1) throw std::runtime_error("wrong");
  });
  for (int i = 0; i < 50; ++i) {
    const Data x = runtime.allocate_vector<double>(1000);
    runtime.submit(fill, {x});
    runtime.submit(use, {x});
  }
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(data_that_nobody_has_written_are_refused_on_every_device) {
  for (const RuntimeOptions& options : {with_workers(1), with_gpus()}) {
    Runtime runtime(options);
    const Codelet look = everywhere("look", {AccessMode::read}, [](const KernelContext&) {});
    const Data x = runtime.allocate_scalar<long>("never written");
    const auto refused = failure(ErrorCode::invalid_argument, "'never written' has no valid content");
    BOOST_CHECK_EXCEPTION(runtime.submit(look, {x}), Error, refused);
    BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(x, AccessMode::read), Error, refused);
    BOOST_CHECK_EXCEPTION(runtime.wait(x), Error, refused);
    runtime.acquire(x, AccessMode::write).vector<long>()[0] = 3;
    runtime.submit(look, {x});
    runtime.wait();
  }
}

BOOST_AUTO_TEST_CASE(const_memory_can_be_read_and_not_written) {
  Runtime runtime(with_workers(1));
  const std::vector<double> numbers{1, 2, 3};
  const double factor = 2;
  double sum = 0;
  const Data v = runtime.vector(numbers, "numbers");
  const Data f = runtime.scalar(factor, "factor");
  const Data m = runtime.matrix(&sum, 1, 1, 1, "sum");
  const Codelet add = Codelet("add", {AccessMode::read, AccessMode::read, AccessMode::write})
                          .cpu([](VectorView<const double> v, const double& f, double& s) { s = f * (v[0] + v[2]); });
  runtime.submit(add, {v, f, m});
  runtime.wait();
  BOOST_TEST(sum == 8);
  const auto refused = failure(ErrorCode::invalid_argument, "'factor' was registered as const");
  BOOST_CHECK_EXCEPTION(runtime.submit(twice(), {f}), Error, refused);
  BOOST_CHECK_EXCEPTION(std::ignore = runtime.acquire(f, AccessMode::read_write), Error, refused);
  BOOST_CHECK_EXCEPTION(runtime.set_reduction(f, sum_reduction<double>()), Error, refused);
}

BOOST_AUTO_TEST_CASE(a_thread_that_holds_data_is_told_that_it_waits_for_itself) {
  Runtime runtime(with_workers(2));
  double x = 1;
  const Data data = runtime.scalar(x, "x");
  HostAccess access = runtime.acquire(data, AccessMode::read_write);
  runtime.submit(twice(), {data});
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error,
                        failure(ErrorCode::invalid_argument, "would never end", "'x' in mode read_write"));
  // Other threads may submit tasks while this thread waits.
  access.give_back();
  runtime.wait();
  HostAccess again = runtime.acquire(data, AccessMode::read_write);
  Gate gate;
  const Codelet submits = Codelet("submits", {}).cpu([&](int) {
    gate.pass();
    runtime.submit(twice(), {data});
  });
  runtime.submit(submits, {}, args(1));
  std::thread opener([&] {
    gate.wait_until_begun();
    gate.open = true;
  });
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::invalid_argument, "would never end"));
  opener.join();
  // The main thread moves its access to another object. Then another thread may give the access back while the main
  // thread waits.
  HostAccess moved = std::move(again);
  std::thread giver([&] { moved.give_back(); });
  runtime.wait();
  giver.join();
  BOOST_TEST(x == 4);
}

BOOST_AUTO_TEST_CASE(what_a_recording_owns_may_end_registrations_when_the_recording_is_forgotten) {
  std::weak_ptr<Data> left;
  Runtime runtime(with_workers(1));
  double x = 1;
  const auto data = runtime.scalar(x);
  {
    const auto owned = std::make_shared<Data>(runtime.allocate_vector<double>(4));
    left = owned;
    TaskOptions options;
    options.callback = [owned](const TaskOutcome&) {};
    const RecordedGraph first = runtime.record([&] { runtime.submit(twice(), {data}, {}, options); });
    const RecordedGraph second = runtime.record([&] { runtime.submit([owned](double& value) { value *= 2; }, data); });
    first.run();
    second.run();
  }
  runtime.wait();
  const RecordedGraph last = runtime.record([&] { runtime.submit(twice(), {data}); });
  last.run();
  runtime.wait();
  BOOST_TEST(x == 8);
  BOOST_TEST(left.expired());
}

BOOST_AUTO_TEST_CASE(functions_of_reductions_may_own_data_of_the_runtime) {
  std::vector<std::weak_ptr<Data>> left;
  {
    Runtime runtime(with_workers(1));
    const auto owning = [&] {
      const auto owned = std::make_shared<Data>(runtime.allocate_vector<double>(4));
      left.push_back(owned);
      ReductionMethods methods = sum_reduction<double>();
      methods.initialize = [owned, initialize = methods.initialize](const DataView& view) { initialize(view); };
      return methods;
    };
    double x = 0;
    const Data data = runtime.scalar(x);
    runtime.set_reduction(data, owning());
    runtime.set_reduction(data, owning());
    BOOST_TEST(left[0].expired());
    runtime.release(data);
    BOOST_TEST(left[1].expired());
    {
      // The runtime releases these data after their task.
      const auto temporary = runtime.allocate_vector<double>(4);
      runtime.set_reduction(temporary, owning());
      runtime.submit([](VectorView<double> sums) { sums[0] += 1; }, reduce(temporary));
    }
    runtime.wait();
  }
  BOOST_TEST(left[2].expired());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
