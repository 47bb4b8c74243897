#include "actors/workers/devices/emulated_device.hpp"

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "platform/machine/binding.hpp"
#include "tests/actors/graph_fixture.hpp"
#include "tests/support/thread_checks.hpp"

namespace troupe::workers {

namespace emulated_device {

using tests::GraphFixture;

/// Records the tasks that have ended, in their order.
class Listener final : public DeviceListener {
 public:
  struct End {
    graph::Task* task;
    graph::FailureLog::Cause cause;
    Duration took;
    std::thread::id thread;
  };

  void done(graph::Task& task, graph::FailureLog::Cause cause, Duration took) noexcept override {
    const std::lock_guard lock(mutex_);
    ends_.push_back({&task, std::move(cause), took, std::this_thread::get_id()});
    changed_.notify_all();
  }
  /// Waits until `count` tasks have ended, and returns the ends.
  std::vector<End> wait(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ends_.size() >= count; });
    return ends_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<End> ends_;
};

struct Fixture {
  GraphFixture tasks{2};
  Listener listener;
  std::unique_ptr<platform::EmulatedAccelerator> accelerator = make({});

  static std::unique_ptr<platform::EmulatedAccelerator> make(const platform::FaultOptions& faults) {
    platform::EmulationOptions options;
    options.memory = {1U << 16U};
    options.faults = faults;
    return platform::EmulatedAccelerator::make(0, options).value_or_throw();
  }
  EmulatedDevice::Options options() {
    return {{.graph = &tasks.graph, .worker = WorkerId(1), .name = accelerator->name(), .kind = DeviceKind::emulated},
            accelerator.get()};
  }
  graph::Task* ready(const Codelet& codelet, const std::vector<Access>& accesses = {}) {
    tasks.submit(codelet, accesses);
    graph::TaskList list = tasks.take_ready();
    BOOST_TEST_REQUIRE(!list.empty());
    return list.pop_front();
  }
  /// Completes a task in the graph, as a worker does when the device reports the end of the task.
  void complete(const Listener::End& end) {
    graph::TaskList ready;
    tasks.graph.complete(*end.task, end.cause, WorkerId(1), ready);
  }
  /// Runs the tasks on the device, at most two at a time, and completes them. After a failure the function takes back
  /// the tasks that have not begun and starts them again, as a worker does.
  std::vector<Listener::End> run(EmulatedDevice& device, const std::vector<graph::Task*>& all) {
    std::deque<graph::Task*> left(all.begin(), all.end());
    std::size_t started = 0;
    for (std::size_t ended = 0; ended < all.size();) {
      for (; !left.empty() && started < ended + 2; ++started) {
        BOOST_TEST(!device.start(*left.front()).finished);
        left.pop_front();
      }
      ++ended;
      if (!listener.wait(ended)[ended - 1].cause) continue;
      graph::TaskList back;
      device.take_back(back);
      started -= back.size();
      while (!back.empty()) left.push_front(back.pop_back());
    }
    const std::vector<Listener::End> ends = listener.wait(all.size());
    for (const Listener::End& end : ends) complete(end);
    return ends;
  }
};

const Codelet& nothing() {
  static const Codelet codelet = Codelet("nothing", {}).cpu([](const KernelContext&) {});
  return codelet;
}

void says(const graph::FailureLog::Cause& cause, ErrorCode code, const std::vector<std::string>& parts) {
  BOOST_TEST_REQUIRE(cause != nullptr);
  BOOST_TEST((cause->code == code));
  for (const std::string& part : parts) {
    BOOST_TEST_CONTEXT(cause->message << " should tell of " << part) {
      BOOST_TEST(cause->message.find(part) != std::string::npos);
    }
  }
}

}  // namespace emulated_device

BOOST_FIXTURE_TEST_SUITE(emulated_device, Fixture)

BOOST_AUTO_TEST_CASE(it_has_the_name_of_its_accelerator) {
  EmulatedDevice device(options(), listener);
  BOOST_TEST(device.name() == "emulated GPU 0");
}

BOOST_AUTO_TEST_CASE(kernels_for_cores_run_in_its_own_thread_on_the_accelerators_memory) {
  double on_host = 3;
  const Handle handle = tasks.scalar(on_host);
  auto* replica = reinterpret_cast<double*>(accelerator->memory() + 64);
  *replica = 5;
  auto with = options();
  with.executor.find_replica = [&](const graph::DataRecord& data) {
    return DataView{accelerator->memory() + 64, data.view.layout.packed()};
  };
  EmulatedDevice device(std::move(with), listener);
  std::thread::id thread;
  WorkerId worker;
  const Codelet twice = Codelet("twice", {AccessMode::read_write}).cpu([&](const KernelContext& context) {
    context.scalar<double>(0) *= 2;
    thread = std::this_thread::get_id();
    worker = context.worker;
  });
  const auto ends = run(device, {ready(twice, {handle})});
  BOOST_TEST(!ends[0].cause);
  BOOST_TEST(*replica == 10);
  BOOST_TEST(on_host == 3);
  BOOST_TEST((worker == WorkerId(1)));
  BOOST_TEST((thread != std::this_thread::get_id()));
  BOOST_TEST((ends[0].thread == thread));
}

BOOST_AUTO_TEST_CASE(an_implementation_for_emulated_gpus_is_preferred) {
  std::string ran;
  Codelet codelet = Codelet("both", {}).cpu([&](const KernelContext&) { ran = "core's"; });
  codelet.implement(DeviceKind::emulated, [&](const KernelContext&) { ran = "own"; });
  EmulatedDevice device(options(), listener);
  run(device, {ready(codelet)});
  BOOST_TEST(ran == "own");
}

BOOST_AUTO_TEST_CASE(tasks_run_in_the_order_of_their_starts_one_at_a_time) {
  std::vector<int> order;
  std::vector<graph::Task*> all;
  std::atomic<int> inside{0};
  tests::ThreadChecks checks;
  for (int i = 0; i < 50; ++i) {
    all.push_back(ready(Codelet("note", {}).cpu([&, i](const KernelContext&) {
      checks.expect(++inside == 1);
      order.push_back(i);
      --inside;
    })));
  }
  EmulatedDevice device(options(), listener);
  const auto ends = run(device, all);
  BOOST_TEST_REQUIRE(ends.size() == 50U);
  for (int i = 0; i < 50; ++i) {
    BOOST_TEST(order[i] == i);
    BOOST_TEST((ends[i].task == all[i]));
  }
}

BOOST_AUTO_TEST_CASE(it_tells_how_long_each_kernel_ran_without_the_wait_for_the_one_before) {
  static constexpr auto kLong = std::chrono::milliseconds(60);
  const Codelet slow = Codelet("slow", {}).cpu([](const KernelContext&) { std::this_thread::sleep_for(kLong); });
  // On a busy machine the end of the short kernel may also be noticed late, but not in each of ten tries.
  bool short_is_short = false;
  for (int i = 0; i < 10 && !short_is_short; ++i) {
    graph::Task* first = ready(slow);
    graph::Task* second = ready(nothing());
    Listener both;
    EmulatedDevice device(options(), both);
    BOOST_TEST(!device.start(*first).finished);
    BOOST_TEST(!device.start(*second).finished);
    const auto ends = both.wait(2);
    BOOST_TEST((ends[0].took >= kLong));
    short_is_short = ends[1].took < kLong / 2;
    for (const auto& end : ends) complete(end);
  }
  BOOST_TEST(short_is_short);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_throws_fails_its_task_and_no_other) {
  EmulatedDevice device(options(), listener);
  const Codelet bad = Codelet("bad", {}).cpu([](const KernelContext&) { throw std::runtime_error("no luck"); });
  const auto ends = run(device, {ready(bad), ready(nothing())});
  says(ends[0].cause, ErrorCode::kernel_failed, {"codelet bad", "worker 1", "emulated GPU 0", "no luck"});
  BOOST_TEST(!ends[1].cause);
}

BOOST_AUTO_TEST_CASE(after_a_failure_nothing_begins_that_is_not_started_again) {
  EmulatedDevice device(options(), listener);
  std::promise<void> started;
  const Codelet bad = Codelet("bad", {}).cpu([&](const KernelContext&) {
    started.get_future().wait();
    throw std::runtime_error("no luck");
  });
  std::atomic<int> ran{0};
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
  graph::Task* const first = ready(bad);
  const std::vector<graph::Task*> others{ready(count), ready(count), ready(count)};
  BOOST_TEST(!device.start(*first).finished);
  for (graph::Task* task : {others[0], others[1]}) BOOST_TEST(!device.start(*task, {&first, 1}).finished);
  started.set_value();
  BOOST_TEST(listener.wait(1)[0].cause);
  // This task is started before the worker has been told of the failure.
  BOOST_TEST(!device.start(*others[2], {&first, 1}).finished);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  BOOST_TEST(ran == 0);
  graph::TaskList back;
  device.take_back(back);
  for (graph::Task* task : others) {
    BOOST_TEST_REQUIRE(!back.empty());
    BOOST_TEST(back.pop_front() == task);
  }
  BOOST_TEST(!device.start(*others[0]).finished);
  BOOST_TEST(!listener.wait(2)[1].cause);
  BOOST_TEST(ran == 1);
}

BOOST_AUTO_TEST_CASE(kernels_fail_as_often_as_asked_and_then_do_not_run) {
  accelerator = make({.kernel = 0.5});
  int ran = 0;
  std::vector<graph::Task*> all;
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
  for (int i = 0; i < 100; ++i) all.push_back(ready(count));
  EmulatedDevice device(options(), listener);
  int failed = 0;
  for (const auto& end : run(device, all)) {
    if (!end.cause) continue;
    ++failed;
    says(end.cause, ErrorCode::kernel_failed, {"codelet count", "worker 1", "emulated GPU 0", "injected fault"});
  }
  BOOST_TEST(failed > 30);
  BOOST_TEST(failed < 70);
  BOOST_TEST(ran == 100 - failed);
}

BOOST_AUTO_TEST_CASE(when_it_is_lost_that_is_said_once_before_its_tasks_fail) {
  accelerator = make({.lost_after = 2});
  std::vector<std::string> events;
  auto with = options();
  with.on_lost = [&] { events.emplace_back("lost"); };
  int ran = 0;
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
  std::vector<graph::Task*> all;
  for (int i = 0; i < 5; ++i) all.push_back(ready(count));
  EmulatedDevice device(std::move(with), listener);
  const auto ends = run(device, all);
  BOOST_TEST(ran == 2);
  BOOST_TEST(events.size() == 1U);
  BOOST_TEST(!ends[1].cause);
  for (std::size_t i = 2; i < 5; ++i) {
    says(ends[i].cause, ErrorCode::device_lost, {"codelet count", "worker 1", "emulated GPU 0", "lost"});
  }
  BOOST_TEST(accelerator->lost());
}

BOOST_AUTO_TEST_CASE(its_end_waits_for_the_kernel_that_runs_and_fails_what_did_not_begin) {
  std::promise<void> begun;
  std::promise<void> go_on;
  bool ended = false;
  const Codelet slow = Codelet("slow", {}).cpu([&](const KernelContext&) {
    begun.set_value();
    go_on.get_future().wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ended = true;
  });
  graph::Task* first = ready(slow);
  graph::Task* second = ready(nothing());
  {
    EmulatedDevice device(options(), listener);
    BOOST_TEST(!device.start(*first).finished);
    BOOST_TEST(!device.start(*second).finished);
    begun.get_future().wait();
    go_on.set_value();
  }
  BOOST_TEST(ended);
  const auto ends = listener.wait(2);
  BOOST_TEST_REQUIRE(ends.size() == 2U);
  BOOST_TEST(!ends[0].cause);
  // The kernel thread may have begun the second kernel before the device told the thread to stop.
  if (ends[1].cause) says(ends[1].cause, ErrorCode::kernel_failed, {"codelet nothing", "worker 1"});
  for (const auto& end : ends) complete(end);
}

BOOST_AUTO_TEST_CASE(its_thread_is_bound_where_it_is_told_to_be) {
  const auto allowed = platform::this_thread_binding();
  BOOST_TEST_REQUIRE(allowed.ok());
  auto with = options();
  with.pus = {allowed.value().back()};
  platform::CpuSet seen;
  const Codelet look = Codelet("look", {}).cpu([&](const KernelContext&) {
    if (auto pus = platform::this_thread_binding()) seen = pus.value();
  });
  EmulatedDevice device(std::move(with), listener);
  run(device, {ready(look)});
  BOOST_TEST(seen == platform::CpuSet{allowed.value().back()}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(its_tasks_are_traced_while_the_worker_notes_its_states) {
  platform::SteadyClock clock;
  WorkerTrace trace;
  auto with = options();
  with.executor.trace = &trace;
  with.executor.clock = &clock;
  EmulatedDevice device(std::move(with), listener);
  std::vector<graph::Task*> all;
  for (int i = 0; i < 200; ++i) all.push_back(ready(nothing()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    BOOST_TEST(!device.start(*all[i]).finished);
    trace.enter(i % 2 == 0 ? WorkerActivity::searching : WorkerActivity::working, clock.now());
  }
  for (const auto& end : listener.wait(all.size())) complete(end);
  std::size_t spans = 0;
  trace.take(clock.now()).tasks.for_each([&](const TaskSpan&) { ++spans; });
  BOOST_TEST(spans == 200U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::workers
