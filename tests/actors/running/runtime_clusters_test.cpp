// Tests of workers that are clusters of cores: which workers exist and whether they work. The cores are those of this
// machine, pretended ones, or cores in virtual time.
#include <algorithm>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "actors/running/runtime_plan.hpp"
#include "platform/machine/binding.hpp"
#include "tests/actors/runtime_fixture.hpp"
#include "tests/actors/simulating/machine_by_hand.hpp"
#include "tests/platform/machine/fake_system.hpp"
#include "tests/support/skipping.hpp"
#include "troupe/devices.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(runtime_clusters)

namespace {

using tests::contains;
using tests::TestRuntime;
using Names = std::vector<std::string>;
const auto kPerElement = boost::test_tools::per_element();

const std::string kTwoSockets = "package:2 [numa(memory=8GB)] core:10 pu:1";

RuntimeOptions pretended(const std::string& clusters, const std::string& topology = kTwoSockets) {
  RuntimeOptions options;
  options.clusters = clusters;
  options.threads.synthetic_topology = topology;
  return options;
}

RuntimeOptions described(const std::string& clusters, std::vector<int> gpus, int cores = 0) {
  SimulationOptions simulation;
  simulation.machine = by_hand::machine(2);
  simulation.machine.cores = 12;
  simulation.machine.sockets = 2;
  simulation.gpus = std::move(gpus);
  simulation.cores = cores;
  simulation.clusters = clusters;
  simulation.real_buffers = true;
  RuntimeOptions options;
  options.simulation = std::make_shared<const SimulationOptions>(std::move(simulation));
  return options;
}

std::vector<WorkerPlace> places(const RuntimeOptions& options) {
  auto plan = RuntimePlan::make(options, nullptr);
  BOOST_TEST_CONTEXT("failure: " << (plan.ok() ? "none" : plan.failure().message)) BOOST_TEST_REQUIRE(plan.ok());
  return std::move(plan).value().places;
}

Names names(const RuntimeOptions& options) {
  Names all;
  for (const WorkerPlace& place : places(options)) all.push_back(place.name);
  return all;
}

std::string refusal(const RuntimeOptions& options) {
  const auto plan = RuntimePlan::make(options, nullptr);
  BOOST_TEST_REQUIRE(!plan.ok());
  BOOST_TEST((plan.failure().code == ErrorCode::invalid_argument));
  return plan.failure().message;
}

/// Runs chains of `length` tasks. Returns false if a task failed or a chain has a wrong result.
bool chains_are_right(TestRuntime& runtime, int length) {
  constexpr int kChains = 20;
  std::vector<std::int64_t> sums(kChains);
  std::vector<Handle> handles;
  for (std::int64_t& sum : sums) handles.push_back(runtime.scalar(sum));
  const Codelet add =
      Codelet("add", {AccessMode::read_write}).cpu([](std::int64_t& sum) { ++sum; }).timed_as("test/kernel/double");
  for (int i = 0; i < length; ++i) {
    for (const Handle handle : handles) runtime.submit(add, {handle});
  }
  return runtime.wait().empty() && std::ranges::all_of(sums, [&](std::int64_t sum) { return sum == length; });
}

BOOST_AUTO_TEST_CASE(each_cluster_is_one_worker_of_several_cores) {
  const auto all = places(pretended("1x10+1x4"));
  BOOST_TEST_REQUIRE(all.size() == 8U);
  BOOST_TEST(all[0].name == "cluster of 10 cores 0-9");
  BOOST_TEST((all[0].device.type == DeviceType(DeviceKind::cpu_core, 10)));
  BOOST_TEST(all[0].pu == 0);
  BOOST_TEST((all[1].helper_pus == std::vector<int>{11, 12, 13}));
  BOOST_TEST(all[1].device.type.cores == 4);
  BOOST_TEST(all[1].pu == 10);
  BOOST_TEST(all[2].name == "cpu core 14");
  BOOST_TEST(all[2].device.type.cores == 1);
  BOOST_TEST(all[2].helper_pus.empty());
}

BOOST_AUTO_TEST_CASE(without_clusters_every_core_is_a_worker) {
  BOOST_TEST(places(pretended("")).size() == 20U);
  BOOST_TEST((names(pretended("")) == names(pretended("20x1"))));
}

BOOST_AUTO_TEST_CASE(cores_that_drive_accelerators_are_taken_away_before) {
  RuntimeOptions options = pretended("socket", "package:2 [numa(memory=8GB)] core:3 pu:1");
  options.accelerators.emulated_gpus.resize(2);
  BOOST_TEST(names(options) == (Names{"cluster of 3 cores 0-2", "cpu core 3", "emulated GPU 0", "emulated GPU 1"}),
             kPerElement);
  BOOST_TEST(places(options)[3].pu == 4);
  options.clusters = "2x3";
  BOOST_TEST(contains(refusal(options), "take 6 cores, but there are 4"));
  // The workers use five cores in clusters. The emulated GPUs get the other cores.
  options.cores = 5;
  options.clusters = "1x3+1x2";
  BOOST_TEST(
      names(options) == (Names{"cluster of 3 cores 0-2", "cluster of 2 cores 3-4", "emulated GPU 0", "emulated GPU 1"}),
      kPerElement);
  BOOST_TEST(places(options)[2].pu == 5);
}

BOOST_AUTO_TEST_CASE(limits_of_the_process_are_respected) {
  RuntimeOptions options = pretended("numa");
  options.threads.cpus = "2,4,6,13,15";
  BOOST_TEST(names(options) == (Names{"cluster of 3 cores 2,4,6", "cluster of 2 cores 13,15"}), kPerElement);
  tests::FakeSystem system;
  system.use_v2("/job");
  system.group_file("/job", "cpu.max", "300000 100000");
  options.threads.system_root = system.root();
  BOOST_TEST(names(options) == (Names{"cluster of 3 cores 2,4,6"}), kPerElement);
  options.clusters = "2x2";
  BOOST_TEST(contains(refusal(options), "take 4 cores, but there are 3"));
}

BOOST_AUTO_TEST_CASE(described_machines_have_clusters_too) {
  BOOST_TEST(names(described("socket", {0, 1})) ==
                 (Names{"cluster of 6 cores 0-5", "cluster of 4 cores 6-9", "GPU 0", "GPU 1"}),
             kPerElement);
  BOOST_TEST(names(described("1x4", {0}, 6)) == (Names{"cluster of 4 cores 0-3", "cpu core 4", "cpu core 5", "GPU 0"}),
             kPerElement);
  BOOST_TEST(contains(refusal(described("2x6", {0})), "take 12 cores, but there are 11"));
  BOOST_TEST(contains(refusal(described("l3", {0})), "tells of no L3 caches"));
  BOOST_TEST(contains(refusal(described("2x0", {0})), "at least one"));
}

BOOST_AUTO_TEST_CASE(wrong_clusters_are_refused_before_anything_starts) {
  BOOST_TEST(contains(refusal(pretended("3x10")), "ask for 2x10"));
  BOOST_TEST(contains(refusal(pretended("2x0")), "at least one"));
  BOOST_TEST(contains(refusal(pretended("pudding")), "is no level"));
  BOOST_TEST(contains(refusal(pretended("numa", "core:4 pu:1")), "NUMA"));
}

BOOST_AUTO_TEST_CASE(who_listens_is_told_of_clusters_that_span_numa_nodes) {
  Names told;
  RuntimeOptions options = pretended("1x4+1x2", "package:2 [numa(memory=8GB)] core:3 pu:1");
  options.observation.on_warning = [&](const std::string& what) { told.push_back(what); };
  {
    const TestRuntime runtime(options);
    BOOST_TEST_REQUIRE(told.size() == 1U);
    BOOST_TEST(contains(told[0], "cores 0-3 spans several NUMA nodes"));
  }
  options.observation.on_warning = [](const std::string&) { throw std::runtime_error("not now"); };
  TestRuntime runtime(options);
  BOOST_TEST(chains_are_right(runtime, 10));
}

BOOST_AUTO_TEST_CASE(clusters_run_tasks_under_every_kind_of_policy) {
  for (const char* policy : {"lws", "ws", "eager", "heft", "mct", "homeward"}) {
    RuntimeOptions options = pretended("1x3+1x2", "package:2 [numa(memory=8GB)] core:4 pu:1");
    options.policy = policy;
    TestRuntime runtime(options);
    BOOST_TEST_CONTEXT(policy) {
      BOOST_TEST(runtime->workers() == 5U);
      BOOST_TEST(chains_are_right(runtime, 50));
      const RunReport report = runtime->report();
      BOOST_TEST(report.workers[0].cores == 3);
      BOOST_TEST(report.workers[0].device == "cluster of 3 cores 0-2");
    }
    RuntimeOptions simulated = described("1x3+1x2", {0});
    simulated.policy = policy;
    TestRuntime virtual_runtime(simulated);
    BOOST_TEST(chains_are_right(virtual_runtime, 5), policy);
  }
}

BOOST_AUTO_TEST_CASE(deterministic_runs_have_clusters) {
  RuntimeOptions options = pretended("2x2");
  options.cores = 4;
  options.threads.deterministic = true;
  TestRuntime runtime(options);
  BOOST_TEST(runtime->workers() == 2U);
  BOOST_TEST(chains_are_right(runtime, 20));
}

/// Stands for 4 ms of computing. A sleeping thread needs no core, so other programs hardly change the measured time.
void compute() { std::this_thread::sleep_for(std::chrono::milliseconds(4)); }

const Codelet kTogether = Codelet("together", {}).cpu_team([](Team& team) { team.run([](int, int) { compute(); }); });
const Codelet kAlone = Codelet("alone", {}).cpu([](const KernelContext&) { compute(); }).timed_as("test/kernel/double");

TeamUse used_by(TestRuntime& runtime, const Codelet& codelet) {
  const TeamUse before = runtime->report().workers[0].team;
  for (int i = 0; i < 5; ++i) runtime.submit(codelet);
  BOOST_TEST(runtime.wait() == "");
  TeamUse use = runtime->report().workers[0].team;
  use -= before;
  return use;
}

BOOST_AUTO_TEST_CASE(a_cluster_tells_what_share_of_its_time_was_used) {
  RuntimeOptions options = pretended("1x2", "core:2 pu:1");
  options.trace = true;
  TestRuntime runtime(options);
  BOOST_TEST_REQUIRE(runtime->workers() == 1U);
  const TeamUse alone = used_by(runtime, kAlone);
  BOOST_TEST(alone.used_fraction().value_or(0) == 0.5, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(seconds(alone.offered) >= 5 * 2 * 4e-3);
  // On a busy machine the helper thread sometimes begins late, so the test repeats.
  double share = 0;
  for (int round = 0; round < 20 && share < 0.85; ++round) {
    share = std::max(share, used_by(runtime, kTogether).used_fraction().value_or(0));
  }
  BOOST_TEST(share >= 0.85);
  BOOST_TEST(share <= 1);

  const RunReport report = runtime->report();
  BOOST_TEST((report.workers[0].members == std::vector<int>{0, 1}));
  const LiveWorker live = runtime->look().workers[0];
  BOOST_TEST((live.members == std::vector<int>{0, 1}));
  BOOST_TEST((live.team == report.workers[0].team));
  const Trace trace = runtime->take_trace();
  TeamUse traced;
  for (const TraceEvent& event : trace.events) {
    BOOST_TEST(event.cores == 2);
    traced += event.team_use();
  }
  BOOST_TEST(seconds(traced.used) == seconds(report.workers[0].team.used), boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(why_tells_of_clusters_their_members_and_what_was_used) {
  TestRuntime runtime(pretended("1x2", "core:2 pu:1"));
  BOOST_TEST(!contains(runtime->why().to_text(), "cores' time"));
  used_by(runtime, kAlone);
  const WhyReport why = runtime->why();
  BOOST_TEST_REQUIRE(why.workers.size() == 1U);
  BOOST_TEST((why.workers[0].members == std::vector<int>{0, 1}));
  BOOST_TEST(contains(why.to_text(), "cluster of 2 cores 0-1"), why.to_text());
  BOOST_TEST(contains(why.to_text(), "its tasks so far used 50 % of its cores' time"), why.to_text());
  BOOST_TEST(contains(why.to_json(), "\"team_used\": 0.5"), why.to_json());
}

BOOST_AUTO_TEST_CASE(in_virtual_time_nothing_is_known_of_a_clusters_members) {
  RuntimeOptions options = described("1x4", {0});
  options.policy = "heft";
  options.trace = true;
  TestRuntime runtime(options);
  BOOST_TEST(chains_are_right(runtime, 5));
  const RunReport report = runtime->report();
  const auto cluster = std::ranges::find(report.workers, 4, &WorkerReport::cores);
  BOOST_TEST_REQUIRE((cluster != report.workers.end()));
  BOOST_TEST((cluster->team == TeamUse{}));
  BOOST_TEST(cluster->members.size() == 4U);
  BOOST_TEST(report.workers.back().members.empty());
  int on_cluster = 0;
  for (const TraceEvent& event : runtime->take_trace().events) {
    BOOST_TEST(event.cores == (event.worker == cluster->worker ? 4 : 1));
    BOOST_TEST(!event.used);
    on_cluster += event.worker == cluster->worker ? 1 : 0;
  }
  BOOST_TEST(on_cluster > 0);
}

BOOST_AUTO_TEST_CASE(tasks_of_a_numa_node_go_to_its_cluster) {
  RuntimeOptions options = pretended("numa", "package:2 [numa(memory=8GB)] core:4 pu:1");
  options.policy = "lws";
  TestRuntime runtime(options);
  BOOST_TEST(runtime->numa_nodes() == 2U);
  std::atomic<int> done{0};
  const Codelet touch = Codelet("touch", {}).cpu([&](const KernelContext&) { ++done; });
  for (std::uint32_t node = 0; node < 2; ++node) {
    for (int i = 0; i < 100; ++i) runtime.submit(touch, {}, {.numa_node = NumaId(node)});
  }
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(done == 200);
}

BOOST_AUTO_TEST_CASE(the_thread_of_a_cluster_is_bound_to_its_first_core) {
  RuntimeOptions options;
  const auto all = TestRuntime(options)->topology();
  if (!all.bindable || all.cores.size() < 2) {
    tests::skip(all.bindable ? "there is one core" : all.unbindable_because);
    return;
  }
  options.clusters = "1x2";
  TestRuntime runtime(options);
  BOOST_TEST_REQUIRE(runtime->workers() == all.cores.size() - 1);
  const platform::Core& cluster = *std::ranges::find(runtime->topology().cores, 2, &platform::Core::size);
  const auto index = static_cast<std::uint32_t>(&cluster - runtime->topology().cores.data());
  std::mutex mutex;
  std::set<platform::CpuSet> seen;
  const Codelet look = Codelet("look", {}).cpu([&](const KernelContext& context) {
    if (context.worker != WorkerId(index)) return;
    const std::lock_guard lock(mutex);
    seen.insert(platform::this_thread_binding().value());
  });
  for (int round = 0; round < 200 && seen.empty(); ++round) {
    for (int i = 0; i < 100; ++i) runtime.submit(look);
    BOOST_TEST(runtime.wait() == "");
  }
  BOOST_TEST_REQUIRE(seen.size() == 1U);
  BOOST_TEST((*seen.begin() == platform::CpuSet{cluster.pu}));
  const WorkerReport report = runtime->report().workers[index];
  BOOST_TEST(report.bound_to == cluster.pu);
  BOOST_TEST((report.members == cluster.all_pus()));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
