// Tests of tasks that may run only on some workers, which are given by number, by name or by model.
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "platform/accelerators/emulated_accelerator.hpp"
#include "tests/client/fixture.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(restricted_workers)

namespace {

namespace data = boost::unit_test::data;

const std::vector<std::string> kLocal{"lws", "ws", "eager"};
const std::vector<std::string> kPolicies{"lws",       "ws",  "eager", "homeward",       "heft",
                                         "heft-rank", "mct", "dada",  "dada:alpha=0.9", "heteroprio"};

DeviceSet worker(std::uint32_t number) { return DeviceSet::worker(WorkerId(number)); }

/// Returns options for cores as workers 0 to 2 and accelerators as workers 3 and 4.
RuntimeOptions with_accelerators(const std::string& policy = "default") {
  RuntimeOptions options = with_workers(3);
  options.policy = policy;
  platform::EmulationOptions accelerator;
  accelerator.memory = {1U << 20U};
  options.accelerators.emulated_gpus = {accelerator, accelerator};
  return options;
}

/// Counts the tasks that ran (`ran`), and the tasks that ran on a worker on which they were not allowed (`astray`).
struct Watched {
  std::atomic<int> ran{0};
  std::atomic<int> astray{0};
  std::vector<std::atomic<int>> by_worker = std::vector<std::atomic<int>>(8);

  Codelet codelet(const std::string& name, std::vector<std::uint32_t> allowed) {
    return Codelet(name, {AccessMode::read_write}).cpu([this, allowed](const KernelContext& context) {
      const auto here = context.worker.value();
      if (std::ranges::find(allowed, here) == allowed.end()) ++astray;
      ++by_worker[here];
      ++ran;
      context.vector<double>(0)[0] += 1;
    });
  }
};

struct Place {
  DeviceSet devices;
  std::vector<std::uint32_t> workers;
};

/// Runs chains of tasks on a few pieces of data. Each task may run only on one of many sets of workers, or on any
/// worker, so the data move between memories.
void run_everywhere(Runtime& runtime, const std::vector<Place>& places, int rounds) {
  Watched watched;
  std::vector<Codelet> codelets;
  for (std::size_t i = 0; i < places.size(); ++i) {
    codelets.push_back(watched.codelet("at " + std::to_string(i), places[i].workers));
  }
  std::vector<std::vector<double>> memory(5, std::vector<double>(8));
  std::vector<Data> pieces;
  for (auto& each : memory) pieces.push_back(runtime.vector(each));
  int submitted = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Data& piece = pieces[static_cast<std::size_t>(submitted++) % pieces.size()];
      runtime.submit(codelets[i], {piece}, {}, {.priority = round % 3, .devices = places[i].devices});
    }
  }
  runtime.wait();
  BOOST_TEST(watched.ran == submitted);
  BOOST_TEST(watched.astray == 0);
  double sum = 0;
  for (const auto& each : memory) sum += each[0];
  BOOST_TEST(sum == submitted);
}

BOOST_DATA_TEST_CASE(tasks_run_on_those_alone_that_are_named, data::make(kPolicies), policy) {
  Runtime runtime(with_accelerators(policy));
  run_everywhere(runtime,
                 {{worker(1), {1}},
                  {worker(0) | worker(2), {0, 2}},
                  {worker(4), {4}},
                  {worker(2) | worker(3), {2, 3}},
                  {DeviceSet::named("emulated GPU"), {3, 4}},
                  {DeviceSet::named("emulated gpu 0"), {3}},
                  {DeviceSet::cores() | DeviceSet::named("emulated GPU 1"), {0, 1, 2, 4}},
                  {DeviceSet::accelerators() & (worker(0) | worker(4)), {4}},
                  {DeviceSet::accelerators(), {3, 4}},
                  {DeviceSet(), {0, 1, 2, 3, 4}}},
                 60);
}

BOOST_DATA_TEST_CASE(cores_alone_are_told_apart, data::make(kPolicies), policy) {
  RuntimeOptions options = with_workers(4);
  options.policy = policy;
  Runtime runtime(options);
  run_everywhere(
      runtime, {{worker(3), {3}}, {worker(0) | worker(1), {0, 1}}, {worker(1) | worker(2), {1, 2}}, {{}, {0, 1, 2, 3}}},
      300);
}

BOOST_DATA_TEST_CASE(clusters_are_workers_like_others, data::make(kPolicies), policy) {
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:1 core:5 pu:1";
  options.threads.bind = false;
  options.policy = policy;
  options.clusters = "1x3";
  Runtime runtime(options);
  run_everywhere(runtime, {{DeviceSet::named("cluster of 3 cores 0-2"), {0}}, {worker(1) | worker(2), {1, 2}}}, 100);
}

BOOST_DATA_TEST_CASE(every_order_of_messages_keeps_tasks_where_they_may_be, data::xrange(40), seed) {
  RuntimeOptions options = deterministic(3);
  options.seed = static_cast<std::uint64_t>(seed);
  options.policy = kPolicies[static_cast<std::size_t>(seed) % kPolicies.size()];
  Runtime runtime(options);
  run_everywhere(runtime, {{worker(1), {1}}, {worker(0) | worker(2), {0, 2}}, {{}, {0, 1, 2}}}, 10);
}

/// Only worker 1 may run the slow tasks. Workers 0 and 2 have no work, so they try to steal these tasks.
BOOST_DATA_TEST_CASE(idle_workers_do_not_steal_them, data::make(kLocal), policy) {
  RuntimeOptions options = with_workers(3);
  options.policy = policy;
  Runtime runtime(options);
  Watched watched;
  const Codelet slow = Codelet("slow", {AccessMode::read}).cpu([&](const KernelContext& context) {
    if (context.worker != WorkerId(1)) ++watched.astray;
    ++watched.ran;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  });
  const Codelet first = watched.codelet("first", {0});
  std::vector<double> memory(8);
  const Data piece = runtime.vector(memory);
  // The first 100 slow tasks become ready when a task on worker 0 ends. The other slow tasks are ready when they are
  // submitted.
  runtime.submit(first, {piece}, {}, {.devices = worker(0)});
  for (int i = 0; i < 100; ++i) runtime.submit(slow, {piece}, {}, {.devices = worker(1)});
  runtime.wait();
  for (int i = 0; i < 100; ++i) runtime.submit(slow, {piece}, {}, {.devices = worker(1)});
  runtime.wait();
  BOOST_TEST(watched.ran == 201);
  BOOST_TEST(watched.astray == 0);
}

/// Submits single tasks for two workers in turn, with pauses about as long as a worker looks for work before it sleeps.
BOOST_DATA_TEST_CASE(nobody_sleeps_through_a_task_that_only_he_may_run, data::make(kPolicies), policy) {
  RuntimeOptions options = with_workers(3);
  options.policy = policy;
  options.threads.spin = std::chrono::microseconds(5);
  Runtime runtime(options);
  std::atomic<int> ran{0};
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
  constexpr int kRounds = 1000;
  for (int round = 0; round < kRounds; ++round) {
    const auto number = static_cast<std::uint32_t>(round);
    const DeviceSet two = worker(number % 3) | worker((number + 1) % 3);
    const Future future = runtime.submit(count, {}, {}, {.devices = round % 2 == 0 ? worker(number % 3) : two});
    if (round % 4 == 0) continue;
    future.wait();
    const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(round * 7919 % 12'000);
    while (std::chrono::steady_clock::now() < until) {
    }
  }
  runtime.wait();
  BOOST_TEST(ran == kRounds);
}

BOOST_AUTO_TEST_CASE(the_others_of_a_set_share_its_tasks) {
  RuntimeOptions options = with_workers(3);
  options.policy = "lws";
  Runtime runtime(options);
  std::atomic<int> at_once{0};
  std::atomic<bool> met{false};
  const Codelet meet = Codelet("meet", {}).cpu([&](const KernelContext&) {
    // If the same worker gets both tasks, this loop never ends.
    if (++at_once == 2) met = true;
    while (!met) std::this_thread::sleep_for(std::chrono::microseconds(100));
  });
  for (int i = 0; i < 2; ++i) runtime.submit(meet, {}, {}, {.devices = worker(1) | worker(2)});
  runtime.wait();
  BOOST_TEST(met);
}

BOOST_AUTO_TEST_CASE(recordings_keep_their_workers) {
  Runtime runtime(with_accelerators());
  Watched watched;
  const Codelet there = watched.codelet("there", {4});
  std::vector<double> memory(8);
  const Data piece = runtime.vector(memory);
  const RecordedGraph graph = runtime.record([&] { runtime.submit(there, {piece}, {}, {.devices = worker(4)}); });
  for (int i = 0; i < 20; ++i) graph.run();
  runtime.wait();
  BOOST_TEST(watched.by_worker[4] == 20);
}

BOOST_AUTO_TEST_CASE(a_runtime_restricts_codelets_to_workers_and_models) {
  RuntimeOptions options = with_accelerators();
  options.placement.restrict = "left:#1;right:emulated GPU 1|#0;both:emulated|cores";
  Runtime runtime(options);
  Watched watched;
  const Codelet left = watched.codelet("left", {1});
  const Codelet right = watched.codelet("right", {0, 4});
  const Codelet both = watched.codelet("both", {0, 1, 2, 3, 4});
  std::vector<double> memory(8);
  const Data piece = runtime.vector(memory);
  for (int i = 0; i < 20; ++i) {
    for (const Codelet* codelet : {&left, &right, &both}) runtime.submit(*codelet, {piece});
    // The task must meet the restrictions of the codelet and of its options.
    runtime.submit(right, {piece}, {}, {.devices = DeviceSet::cores()});
  }
  runtime.wait();
  BOOST_TEST(watched.ran == 80);
  BOOST_TEST(watched.astray == 0);
  BOOST_TEST(watched.by_worker[0] >= 20);
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_refused_with_what_is) {
  Watched watched;
  const Codelet codelet = watched.codelet("count", {});
  std::vector<double> memory(8);
  Runtime runtime(with_accelerators());
  const Data piece = runtime.vector(memory);
  const auto refused = [&](const DeviceSet& devices, ErrorCode code, const std::string& part) {
    BOOST_CHECK_EXCEPTION(runtime.submit(codelet, {piece}, {}, {.devices = devices}), Error,
                          failure(code, "codelet 'count'", part));
  };
  refused(worker(5), ErrorCode::invalid_argument, "there is no worker #5");
  refused(worker(5), ErrorCode::invalid_argument, "workers are #0 to #4");
  refused(DeviceSet::named("H200"), ErrorCode::invalid_argument,
          "'H200' is neither a model nor a worker here: models are ");
  refused(DeviceSet::named("H200") | DeviceSet::cores(), ErrorCode::invalid_argument, "emulated GPU");
  refused(worker(0) & worker(1), ErrorCode::no_implementation, "restricted to no device");
  refused(worker(0) & DeviceSet::accelerators(), ErrorCode::no_implementation, "restricted to no device");
  const Codelet on_accelerators = Codelet("far", {}).implement(DeviceKind::emulated, [](const KernelContext&) {});
  BOOST_CHECK_EXCEPTION(runtime.submit(on_accelerators, {}, {}, {.devices = worker(1)}), Error,
                        failure(ErrorCode::no_implementation, "restricted to worker 1", "no such device"));
  BOOST_TEST(watched.ran == 0);
}

BOOST_AUTO_TEST_CASE(a_runtime_is_not_made_with_a_restriction_to_what_is_not_there) {
  RuntimeOptions options = with_workers(2);
  const auto refused = [&](const std::string& restrict, const std::string& part) {
    options.placement.restrict = restrict;
    BOOST_CHECK_EXCEPTION(Runtime{options}, Error,
                          failure(ErrorCode::invalid_argument, "'gemm' is restricted to", part));
  };
  refused("gemm:#2", "there is no worker #2");
  refused("gemm:core", "'core' is neither a model nor a worker here");
  refused("gemm:cores|h200", "'h200' is neither");
}

/// Returns a set of workers. Of eleven workers, worker i is in the set if bit i is set.
DeviceSet workers_of(std::uint32_t bits) {
  DeviceChoice choice;
  for (std::uint32_t i = 0; i < 11; ++i) {
    if ((bits >> i & 1U) != 0) choice.workers.push_back(WorkerId(i));
  }
  return DeviceSet::of(choice);
}

BOOST_AUTO_TEST_CASE(a_thousand_sets_are_told_apart_and_no_more) {
  constexpr std::uint32_t kMost = 1024;
  Runtime runtime(with_workers(11));
  std::atomic<int> astray{0};
  std::atomic<std::uint32_t> ran{0};
  const Codelet codelet = Codelet("there", {}).cpu([&](const KernelContext& context) {
    if ((context.argument<std::uint32_t>(0) >> context.worker.value() & 1U) == 0) ++astray;
    ++ran;
  });
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t bits = 1; bits <= kMost; ++bits) {
      runtime.submit(codelet, {}, args(bits), {.devices = workers_of(bits)});
    }
    runtime.wait();
  }
  BOOST_TEST(ran == 2 * kMost);
  BOOST_TEST(astray == 0);
  BOOST_CHECK_EXCEPTION(runtime.submit(codelet, {}, args(kMost + 1), {.devices = workers_of(kMost + 1)}), Error,
                        failure(ErrorCode::invalid_argument, "at most 1024 different sets of workers"));
  // A set with all workers of a kind is no restriction, so it does not count towards the limit.
  runtime.submit(codelet, {}, args(2047U), {.devices = workers_of(2047)});
  runtime.submit(codelet, {}, args(2047U));
  runtime.wait();
  BOOST_TEST(ran == 2 * kMost + 2);
}

RuntimeOptions with_losses(const std::string& policy, std::size_t lost) {
  RuntimeOptions options = with_accelerators(policy);
  for (std::size_t i = 0; i < lost; ++i) options.accelerators.emulated_gpus[i].faults.lost_after = 1;
  return options;
}

/// The accelerator runs the first task and is lost when the second task starts.
BOOST_DATA_TEST_CASE(tasks_whose_workers_are_all_lost_fail, data::make(kPolicies), policy) {
  Runtime runtime(with_losses(policy, 2));
  Watched watched;
  const Codelet far = watched.codelet("far", {3, 4});
  std::vector<double> memory(8);
  std::vector<Data> pieces;
  std::vector<std::vector<double>> more(8, std::vector<double>(8));
  for (auto& each : more) pieces.push_back(runtime.vector(each));
  int failed = 0;
  std::string message;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const DeviceSet devices = i % 2 == 0 ? worker(3) : worker(3) | worker(4);
    try {
      runtime.submit(far, {pieces[i]}, {}, {.devices = devices}).wait();
    } catch (const Error& error) {
      ++failed;
      message = error.what();
      BOOST_TEST((error.code() == ErrorCode::device_lost), message);
    }
  }
  BOOST_TEST(failed >= 4);
  BOOST_TEST(watched.astray == 0);
  BOOST_TEST(contains(message, "has stopped working"), message);
  BOOST_TEST(contains(message, "no other device that it is restricted to is left"), message);
  // Tasks that may also run on another worker still run.
  const Codelet anywhere = watched.codelet("anywhere", {0, 1, 2});
  runtime.submit(anywhere, {runtime.vector(memory)}, {}, {.devices = worker(3) | worker(1)});
  runtime.submit(anywhere, {runtime.vector(memory)});
}

BOOST_DATA_TEST_CASE(the_rest_of_a_set_runs_what_the_lost_one_had, data::make(kPolicies), policy) {
  Runtime runtime(with_losses(policy, 1));
  Watched watched;
  const Codelet far = watched.codelet("far", {3, 4});
  std::vector<std::vector<double>> memory(60, std::vector<double>(8));
  std::vector<Data> pieces;
  for (auto& each : memory) pieces.push_back(runtime.vector(each));
  for (const Data& piece : pieces) runtime.submit(far, {piece}, {}, {.devices = worker(3) | worker(4)});
  // Only tasks on the lost device may fail. The device has at most ten tasks at a time, and it ran one task before the
  // loss.
  (void)message_of([&] { runtime.wait(); });
  BOOST_TEST(watched.astray == 0);
  BOOST_TEST(watched.by_worker[4] >= 40);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
