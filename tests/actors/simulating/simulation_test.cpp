/// Tests of runs in virtual time in which all times can be calculated by hand.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/actors/simulating/machine_by_hand.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(simulated_runs)

namespace {

using namespace by_hand;

/// Places each task on the worker whose number is the task's priority. Worker 0 is the core; the other workers are
/// GPUs.
class AsTold final : public scheduler::PlacingPolicy {
 public:
  void place(std::span<const scheduler::ReadyTask> tasks, const scheduler::Snapshot& snapshot, Random&,
             std::span<WorkerId> placement) override {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      placement[i] = WorkerId(static_cast<std::uint32_t>(tasks[i].priority));
      if (seen) seen(snapshot);
    }
  }
  std::function<void(const scheduler::Snapshot&)> seen;
};

TaskOptions on(int worker) { return {.priority = worker}; }

BOOST_AUTO_TEST_CASE(a_kernel_on_a_gpu_waits_for_its_data_and_one_on_a_core_does_not) {
  TestRuntime runtime(in_virtual_time(simulation(1)));
  Values x(kElements);
  Values y(kElements);
  runtime.submit(add_one(kUpdate, Where::gpus), {registered(runtime, x)});
  runtime.submit(add_one(kUpdate, Where::cores), {registered(runtime, y)});
  BOOST_TEST(runtime.wait() == "");
  const std::vector<Span> ran = spans(runtime->take_trace());
  check_span(ran.at(0), kCopy, kCopy + kOnGpu);
  check_span(ran.at(1), {}, kOnCore);
  const RunReport report = runtime->report();
  BOOST_TEST(report.virtual_time->count() == Duration(kOnCore).count());
  BOOST_TEST(report.transfers.host_to_device.count == 8000U);
  BOOST_TEST(report.transfers.total().count == 8000U);
}

BOOST_AUTO_TEST_CASE(data_that_are_there_are_not_copied_again) {
  TestRuntime runtime(in_virtual_time(simulation(1)));
  Values x(kElements);
  const Handle handle = registered(runtime, x);
  const Codelet update = add_one(kUpdate, Where::gpus);
  runtime.submit(update, {handle});
  runtime.submit(update, {handle});
  BOOST_TEST(runtime.wait() == "");
  const std::vector<Span> ran = spans(runtime->take_trace());
  check_span(ran.at(1), kCopy + kOnGpu, kCopy + 2 * kOnGpu);
  BOOST_TEST(runtime->report().transfers.total().count == 8000U);
  BOOST_TEST(x[0] == 0);  // The newest content of x is on the GPU.
  BOOST_TEST(first_of(runtime, handle) == 2);
  BOOST_TEST(x[0] == 2);
  BOOST_TEST(runtime->report().transfers.device_to_host.count == 8000U);
  BOOST_TEST(runtime->report().virtual_time->count() == Duration(2 * kCopy + 2 * kOnGpu).count());
}

BOOST_AUTO_TEST_CASE(what_is_only_written_is_not_fetched) {
  TestRuntime runtime(in_virtual_time(simulation(1)));
  Values x(kElements, 5);
  const Handle handle = registered(runtime, x);
  runtime.submit(add_one(kWrite, Where::gpus), {handle});
  BOOST_TEST(runtime.wait() == "");
  check_span(spans(runtime->take_trace()).at(0), {}, kOnGpu);
  BOOST_TEST(first_of(runtime, handle) == 1);
}

BOOST_AUTO_TEST_CASE(with_lookahead_the_next_tasks_data_travel_while_a_kernel_runs) {
  for (const bool ahead : {false, true}) {
    SimulationOptions options = simulation(1);
    options.accelerators.ahead.gpu = ahead ? 1 : 0;
    TestRuntime runtime(in_virtual_time(options));
    Values x(kElements);
    Values y(kElements);
    const Codelet update = add_one(kUpdate, Where::gpus);
    runtime.submit(update, {registered(runtime, x)});
    runtime.submit(update, {registered(runtime, y)});
    BOOST_TEST(runtime.wait() == "");
    const std::vector<Span> ran = spans(runtime->take_trace());
    check_span(ran.at(0), kCopy, kCopy + kOnGpu);
    // The copies follow one another. With lookahead the second copy overlaps the first kernel. Without lookahead
    // nothing overlaps.
    const Duration second = ahead ? 2 * kCopy : 2 * kCopy + kOnGpu;
    check_span(ran.at(1), second, second + kOnGpu);
  }
}

BOOST_AUTO_TEST_CASE(what_has_no_room_goes_home_first) {
  SimulationOptions options = simulation(1);
  options.accelerators.gpu_memory = Bytes{8192};  // The GPU's memory has room for one of the two pieces of data.
  options.accelerators.ahead.gpu = 0;
  TestRuntime runtime(in_virtual_time(options));
  Values x(kElements);
  Values y(kElements);
  const Handle first = registered(runtime, x);
  const Handle second = registered(runtime, y);
  const Codelet update = add_one(kUpdate, Where::gpus);
  for (const Handle& handle : {first, second, first}) runtime.submit(update, {handle});
  BOOST_TEST(runtime.wait() == "");
  const std::vector<Span> ran = spans(runtime->take_trace());
  const Duration turn = 2 * kCopy + kOnGpu;  // A turn: write the old data back, copy the new data in, run the kernel.
  check_span(ran.at(1), turn + kCopy, turn + kCopy + kOnGpu);
  check_span(ran.at(2), 2 * turn + kCopy, 2 * turn + kCopy + kOnGpu);
  const TransferReport transfers = runtime->report().transfers;
  BOOST_TEST(transfers.manager.evictions == 2U);
  BOOST_TEST(transfers.manager.write_backs == 2U);
  BOOST_TEST(transfers.memories.at(0).highest.count == 8192U);
  BOOST_TEST(first_of(runtime, first) == 2);
  BOOST_TEST(first_of(runtime, second) == 1);
}

BOOST_AUTO_TEST_CASE(gpus_copy_from_one_another) {
  TestRuntime runtime(in_virtual_time(simulation(2)), std::make_unique<AsTold>());
  Values x(kElements);
  const Handle handle = registered(runtime, x);
  runtime.submit(add_one(kWrite), {handle}, on(1));
  runtime.submit(add_one(kUpdate), {handle}, on(2));
  BOOST_TEST(runtime.wait() == "");
  check_span(spans(runtime->take_trace()).at(1), kOnGpu + kPeerCopy, kOnGpu + kPeerCopy + kOnGpu);
  BOOST_TEST(runtime->report().transfers.device_to_device.count == 8000U);
  BOOST_TEST(runtime->report().transfers.total().count == 8000U);
  BOOST_TEST(first_of(runtime, handle) == 2);
}

BOOST_AUTO_TEST_CASE(gpus_that_cannot_copy_from_one_another_go_through_the_host) {
  SimulationOptions options = simulation(3);
  options.copies.peer = false;
  TestRuntime runtime(in_virtual_time(options), std::make_unique<AsTold>());
  Values x(kElements);
  const Handle handle = registered(runtime, x);
  runtime.submit(add_one(kWrite), {handle}, on(1));
  runtime.submit(add_one(kUpdate), {handle}, on(2));
  runtime.submit(add_one(kUpdate), {handle}, on(3));
  BOOST_TEST(runtime.wait() == "");
  const std::vector<Span> ran = spans(runtime->take_trace());
  check_span(ran.at(1), kOnGpu + 2 * kCopy, 2 * kOnGpu + 2 * kCopy);
  check_span(ran.at(2), 2 * kOnGpu + 4 * kCopy, 3 * kOnGpu + 4 * kCopy);
  const RunReport report = runtime->report();
  BOOST_TEST(report.transfers.device_to_device.count == 0U);
  BOOST_TEST(report.transfers.device_to_host.count == 16000U);
  BOOST_TEST(report.transfers.host_to_device.count == 16000U);
  BOOST_TEST(first_of(runtime, handle) == 3);
}

BOOST_AUTO_TEST_CASE(overheads_are_added) {
  SimulationOptions options = simulation(1);
  options.accelerators.kernel_overhead = microseconds(3);
  options.copies.overhead = microseconds(2);
  TestRuntime runtime(in_virtual_time(options));
  Values x(kElements);
  runtime.submit(add_one(kUpdate, Where::gpus), {registered(runtime, x)});
  runtime.submit(add_one({}, Where::cores));
  BOOST_TEST(runtime.wait() == "");
  const std::vector<Span> ran = spans(runtime->take_trace());
  check_span(ran.at(0), kCopy + microseconds(2), kCopy + microseconds(2) + kOnGpu + microseconds(3));
  check_span(ran.at(1), {}, kOnCore);
}

/// Returns the times of ten tasks that run alternately on the core and the GPU. If `turned`, the tasks of the core run
/// on the GPU, and the other way round.
std::vector<Duration> noisy_times(std::uint64_t seed, bool turned) {
  SimulationOptions options = simulation(1);
  options.machine = machine(1, 0.2);
  options.noise = true;
  options.seed = seed;
  TestRuntime runtime(in_virtual_time(options), std::make_unique<AsTold>());
  for (int i = 0; i < 10; ++i) runtime.submit(add_one({}), {}, on((i % 2 == 0) != turned ? 0 : 1));
  BOOST_TEST(runtime.wait() == "");
  std::vector<Duration> times;
  for (const Span& span : spans(runtime->take_trace())) times.push_back(span.end - span.start);
  return times;
}

BOOST_AUTO_TEST_CASE(noise_depends_on_seed_and_task_alone) {
  const std::vector<Duration> one = noisy_times(1, false);
  BOOST_TEST((one == noisy_times(1, false)));
  BOOST_TEST((one != noisy_times(2, false)));
  // The noise multiplies a task's mean time by a factor, which is the same on every worker.
  const std::vector<Duration> turned = noisy_times(1, true);
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double factor = i % 2 == 0 ? 0.1 : 10;
    BOOST_TEST(seconds(one[i]) * factor == seconds(turned[i]), boost::test_tools::tolerance(1e-3));
    BOOST_TEST(one[i] != Duration(i % 2 == 0 ? kOnCore : kOnGpu));
  }
}

BOOST_AUTO_TEST_CASE(a_task_whose_data_are_too_large_for_a_gpu_runs_on_a_core_or_says_so) {
  SimulationOptions options = simulation(1);
  options.accelerators.gpu_memory = Bytes{4096};
  for (const char* policy : {"eager", "lws", "mct", "heft", "dada", "heteroprio"}) {
    TestRuntime runtime(in_virtual_time(options, policy));
    Values x(kElements);
    const Handle handle = registered(runtime, x);
    for (int i = 0; i < 5; ++i) runtime.submit(add_one(kUpdate), {handle});
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(x[0] == 5);
    runtime.submit(add_one(kUpdate, Where::gpus), {handle});
    const std::string failure = runtime.wait();
    BOOST_TEST(failure.find("add one") != std::string::npos, policy << ": " << failure);
    BOOST_TEST(failure.find("need 8192 bytes in the memory of GPU 0, which has 4096") != std::string::npos,
               policy << ": " << failure);
  }
}

BOOST_AUTO_TEST_CASE(a_whole_with_parts_is_used_on_cores) {
  for (const char* policy : {"eager", "lws", "mct", "heft", "dada", "heteroprio"}) {
    for (const bool covered : {true, false}) {
      TestRuntime runtime(in_virtual_time(simulation(1), policy));
      Values x(kElements);
      const Handle whole = registered(runtime, x, "matrix");
      runtime.submit(add_one(kUpdate, Where::gpus), {whole});
      const std::vector<Block> blocks{{0, 0, 400, 1}, {400, 0, covered ? 600 : 300, 1}};
      const std::vector<Handle> parts = runtime->graph().partition(whole, blocks).value_or_throw();
      for (const Handle& part : parts) runtime.submit(add_one(kUpdate, Where::gpus), {part});
      runtime.submit(add_one(kUpdate), {whole});
      runtime.submit(add_one(kUpdate, Where::gpus), {parts[1]});
      BOOST_TEST(runtime.wait() == "");
      graph::Task* hold = runtime->graph().acquire(whole, AccessMode::read).value_or_throw();
      BOOST_TEST(x[0] == 3);
      BOOST_TEST(x[399] == 3);
      BOOST_TEST(x[400] == 4);
      BOOST_TEST(x[699] == 4);
      BOOST_TEST(x[999] == (covered ? 4 : 2));
      runtime->graph().give_back(hold);
      runtime.submit(add_one(kUpdate, Where::gpus), {whole});
      const std::string failure = runtime.wait();
      BOOST_TEST(failure.find("'matrix' has parts") != std::string::npos, policy << ": " << failure);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_recorded_graph_runs_under_policies_that_place_tasks) {
  for (const char* policy : {"mct", "heft-rank", "dada:rounds", "heteroprio"}) {
    TestRuntime runtime(in_virtual_time(simulation(1), policy));
    Values x(kElements);
    const Handle handle = registered(runtime, x);
    const auto recording = std::make_shared<graph::Recording>("twice");
    auto scope = runtime->graph().begin_recording(*recording).value_or_throw();
    for (int i = 0; i < 2; ++i) runtime.submit(add_one(kUpdate), {handle});
    scope.reset();
    runtime->graph().seal_recording(*recording);
    for (int i = 0; i < 3; ++i) runtime->graph().replay(recording, {}).value_or_throw();
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(first_of(runtime, handle) == 6);
  }
}

BOOST_AUTO_TEST_CASE(reductions_end_where_all_cores_drive_gpus) {
  SimulationOptions options = simulation(4);
  options.cores = 0;
  for (const char* policy : {"eager", "lws", "mct", "heteroprio"}) {
    TestRuntime runtime(in_virtual_time(options, policy));
    BOOST_TEST(runtime->workers() == 4U);
    Values x(kElements, 1);
    const Handle handle = registered(runtime, x);
    BOOST_TEST(runtime->graph().set_reduction(handle, sum_reduction<double>()).ok());
    for (int i = 0; i < 20; ++i) runtime.submit(add_one({AccessMode::reduce}), {handle});
    runtime.submit(add_one(kUpdate), {handle});
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(first_of(runtime, handle) == 22);
  }
}

BOOST_AUTO_TEST_CASE(tasks_that_were_cancelled_are_no_load_of_their_worker) {
  auto policy = std::make_unique<AsTold>();
  std::size_t queued = 99;
  policy->seen = [&queued](const scheduler::Snapshot& snapshot) { queued = snapshot.workers[1].queued; };
  TestRuntime runtime(in_virtual_time(simulation(1)), std::move(policy));
  for (int i = 0; i < 10; ++i) runtime.submit(add_one({}), {}, on(1));
  runtime->graph().cancel_all();
  BOOST_TEST(runtime.wait() != "");
  runtime.submit(add_one({}), {}, on(1));
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(queued == 0U);
}

BOOST_AUTO_TEST_CASE(nothing_is_lost_with_an_actor_that_dies_while_data_travel) {
  using Kill = std::function<void(TestRuntime&)>;
  const std::vector<Kill> kills{[](TestRuntime& runtime) { runtime->kill_worker(WorkerId(1)); },
                                [](TestRuntime& runtime) { runtime->kill_memory(); },
                                [](TestRuntime& runtime) {
                                  runtime->kill_memory();
                                  runtime->kill_worker(WorkerId(1));
                                }};
  for (const Kill& kill : kills) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SimulationOptions options = simulation(1);
      options.seed = seed;
      options.disturbances.shuffle_messages = true;
      // With this latency the copy ends at 103 us, after the kill at 100 us.
      options.machine.routes[1].latency = microseconds(95);
      options.accelerators.gpu_memory = Bytes{8192};
      TestRuntime runtime(in_virtual_time(options));
      Codelet killer("killer", {});
      killer.cpu([&](const KernelContext&) { kill(runtime); }).timed_as("test/kernel/double");
      Values x(kElements);
      Values y(kElements);
      const Handle first = registered(runtime, x);
      const Handle second = registered(runtime, y);
      runtime.submit(add_one(kUpdate, Where::gpus), {first});
      runtime.submit(add_one(kUpdate, Where::gpus), {second});
      runtime.submit(killer);  // This kernel kills actors at 100 us.
      BOOST_TEST(runtime.wait() == "");
      BOOST_TEST(first_of(runtime, first) == 1);
      BOOST_TEST(first_of(runtime, second) == 1);
      BOOST_TEST(runtime->take_trace().events.size() == 3U);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_task_is_lost_with_the_worker_that_runs_it) {
  TestRuntime runtime(in_virtual_time(simulation(1)), std::make_unique<AsTold>());
  Codelet killer("killer", {});
  killer.implement(DeviceKind::cuda, [&](const KernelContext&) { runtime->kill_worker(WorkerId(0)); })
      .timed_as("test/kernel/double");
  Values x(kElements);
  const Handle handle = registered(runtime, x);
  runtime.submit(add_one(kUpdate), {handle}, on(0));
  runtime.submit(add_one(kUpdate), {handle}, on(1));
  runtime.submit(killer, {}, on(1));  // This task kills worker 0 at 10 us, during the first task.
  runtime.submit(add_one({}), {}, on(0));
  const std::string failure = runtime.wait();
  BOOST_TEST(failure.find("was lost with cpu core 0") != std::string::npos, failure);
  BOOST_TEST(failure.find("was cancelled") != std::string::npos, failure);
  BOOST_TEST(runtime->report().ended == 4U);
  BOOST_TEST(runtime->take_trace().events.size() == 2U);
}

BOOST_AUTO_TEST_CASE(kernels_submit_tasks_and_fail_in_virtual_time_as_in_any_other) {
  SimulationOptions options = simulation(1);
  RuntimeOptions all = in_virtual_time(options);
  all.window = 2;
  TestRuntime runtime(all);
  Values x(kElements);
  const Handle handle = registered(runtime, x);
  const Codelet update = add_one(kUpdate, Where::gpus);
  Codelet parent("parent", {});
  parent
      .cpu([&](const KernelContext&) {
        for (int i = 0; i < 10; ++i) runtime.submit(update, {handle});
      })
      .timed_as("test/kernel/double");
  runtime.submit(parent);
  for (int i = 0; i < 10; ++i) runtime.submit(add_one({}));
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(first_of(runtime, handle) == 10);
  Codelet broken("broken", {AccessMode::read_write});
  broken.implement(DeviceKind::cuda, [](const KernelContext&) { throw std::runtime_error("planned"); })
      .timed_as("test/kernel/double");
  runtime.submit(broken, {handle});
  runtime.submit(update, {handle});
  const std::string failure = runtime.wait();
  BOOST_TEST(failure.find("(GPU 0): planned") != std::string::npos, failure);
  BOOST_TEST(!runtime->graph().acquire(handle, AccessMode::read).ok());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
