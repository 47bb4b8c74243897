// Tests of a runtime that groups its cores to suit the remaining work. See tests/actors/scheduler/cluster_rule_test.cpp
// for tests of the rule.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

#include "actors/running/client_graph.hpp"
#include "tests/actors/simulating/machine_by_hand.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors::by_hand {

BOOST_AUTO_TEST_SUITE(automatic_clusters)

namespace {

using namespace std::chrono_literals;

/// Eight cores. 2 ms of the kernel's 10 ms cannot be divided among cores, so it takes 6 ms on two cores, 4 ms on four
/// and 3 ms on eight. A GPU takes 1 ms.
SimulationOptions eight_cores(const std::string& clusters, std::size_t gpus = 0) {
  SimulationOptions options = simulation(gpus);
  options.machine.cores = 8;
  options.cores = 8;
  options.clusters = clusters;
  options.real_buffers = false;
  platform::TileTimes times{1000, 0, platform::KernelTime{10000, 0}, {}, {{4, {4000, 0}}}};
  times.gpus.assign(gpus, {1000, 0});
  options.machine.kernels = {{"test", "kernel", "double", {times}, gpus}};
  return options;
}

Codelet shared_kernel(bool for_teams = true, bool for_gpus = false) {
  Codelet codelet("work", {AccessMode::read_write});
  const auto nothing = [](const KernelContext&) {};
  codelet.cpu(nothing);
  if (for_teams) codelet.cpu_team(nothing);
  if (for_gpus) codelet.implement(DeviceKind::cuda, nothing);
  return std::move(codelet).timed_as("test/kernel/double");
}

/// One of the phases of a program: `length` steps of `width` independent tasks each. The phases run one after the
/// other.
struct Phase {
  int width = 1;
  int length = 1;
};

struct Outcome {
  double ms = 0;
  std::uint64_t changes = 0;
};

Outcome run(const SimulationOptions& simulation, const std::vector<Phase>& phases,
            const Codelet& codelet = shared_kernel(), const std::string& policy = "heft") {
  TestRuntime runtime(in_virtual_time(simulation, policy));
  int most = 1;
  for (const Phase& phase : phases) most = std::max(most, phase.width);
  std::vector<Values> values(static_cast<std::size_t>(most), Values(8));
  std::vector<Handle> handles;
  for (Values& value : values) handles.push_back(registered(runtime, value));
  Codelet all = Codelet::variadic("all");
  all.cpu([](const KernelContext&) {});
  all = std::move(all).timed_as("test/kernel/double");
  for (const Phase& phase : phases) {
    for (int i = 0; i < phase.length; ++i) {
      for (int j = 0; j < phase.width; ++j) runtime.submit(codelet, {handles[static_cast<std::size_t>(j)]});
    }
    // This task separates the phases: every task of the next phase waits for every task of this phase.
    std::vector<Access> everything;
    for (const Handle& handle : handles) everything.push_back(read_write(handle));
    runtime.submit(all, everything);
  }
  BOOST_TEST(runtime.wait() == "");
  const RunReport report = runtime->report();
  return {seconds(*report.virtual_time) * 1e3, report.regroupings};
}

/// Returns the best time in milliseconds that any of four fixed groupings needs.
double best_of(const std::vector<Phase>& phases, SimulationOptions simulation,
               const Codelet& codelet = shared_kernel()) {
  double best = 1e300;
  for (const char* clusters : {"single", "4x2", "2x4", "1x8"}) {
    simulation.clusters = clusters;
    best = std::min(best, run(simulation, phases, codelet).ms);
  }
  return best;
}

}  // namespace

BOOST_AUTO_TEST_CASE(phases_that_want_different_clusters_get_them) {
  for (const std::vector<Phase>& phases : {std::vector<Phase>{{400, 1}, {1, 100}},
                                           {{1, 100}, {400, 1}},
                                           {{1, 50}, {200, 1}, {1, 50}, {200, 1}},
                                           {{2, 60}, {300, 1}, {4, 40}}}) {
    const double fixed = best_of(phases, eight_cores(""));
    const Outcome outcome = run(eight_cores("auto"), phases);
    BOOST_TEST_MESSAGE("automatic " << outcome.ms << " ms with " << outcome.changes << " changes, fixed " << fixed);
    BOOST_TEST(outcome.ms < 0.85 * fixed);
    BOOST_TEST(outcome.changes >= phases.size() - 1);
    BOOST_TEST(outcome.changes <= 2 * phases.size());
  }
}

BOOST_AUTO_TEST_CASE(where_single_cores_are_best_nothing_changes) {
  for (const std::vector<Phase>& phases : {std::vector<Phase>{{400, 1}}, {{64, 8}}}) {
    const Outcome outcome = run(eight_cores("auto"), phases);
    BOOST_TEST(outcome.ms == run(eight_cores("single"), phases).ms);
  }
  // Clusters do not change, either, if the codelet cannot use a team.
  const Codelet alone = shared_kernel(false);
  BOOST_TEST(run(eight_cores("auto"), {{1, 50}}, alone).ms == run(eight_cores("single"), {{1, 50}}, alone).ms);
  // Clusters do not change if there is so little work that a change would cost more time than it saves.
  BOOST_TEST(run(eight_cores("auto"), {{1, 1}}).changes <= 1U);
}

BOOST_AUTO_TEST_CASE(times_that_are_not_known_are_found_out) {
  const std::vector<Phase> phases{{400, 1}, {1, 100}, {400, 1}};
  SimulationOptions learning = eight_cores("auto");
  learning.knowledge.model = SimulationOptions::Model::learned;
  const Outcome outcome = run(learning, phases);
  BOOST_TEST_MESSAGE("learning " << outcome.ms << " ms with " << outcome.changes << " changes");
  BOOST_TEST(outcome.ms < 0.85 * best_of(phases, eight_cores("")));
}

BOOST_AUTO_TEST_CASE(accelerators_count) {
  // The chains run on the GPU, which is faster than all cores together, so the clusters stay as they are.
  const Codelet both = shared_kernel(true, true);
  const Outcome chains = run(eight_cores("auto", 1), {{1, 100}}, both);
  BOOST_TEST(chains.changes <= 1U);
  // If the GPU cannot run the tasks, the clusters of cores change as on a machine without a GPU.
  const Codelet at_home = shared_kernel();
  BOOST_TEST(run(eight_cores("auto", 1), {{400, 1}, {1, 100}}, at_home).ms <
             0.85 * best_of({{400, 1}, {1, 100}}, eight_cores("", 1), at_home));
}

// A kernel for real threads. On a team of two cores it sleeps only a quarter as long as on one core. This difference is
// measurable even on a busy machine.
class Sleeper {
 public:
  Sleeper() {
    codelet = Codelet("sleep", {AccessMode::read_write}).cpu_team([this](const KernelContext& context) {
      const int cores = context.team().size();
      std::this_thread::sleep_for(4ms / (cores * cores));
      (cores > 1 ? by_teams : alone) += 1;
    });
  }
  Codelet codelet{"sleep", {AccessMode::read_write}};
  std::atomic<int> by_teams{0};
  std::atomic<int> alone{0};
};

RuntimeOptions two_cores() {
  RuntimeOptions options = tests::workers(2, "heft");
  options.threads.synthetic_topology = "package:1 core:2 pu:1";
  options.clusters = "auto";
  return options;
}

BOOST_AUTO_TEST_CASE(a_chain_that_leaves_cores_idle_gets_a_team) {
  Sleeper sleeper;
  TestRuntime runtime(two_cores());
  std::int64_t x = 0;
  const Handle handle = runtime.scalar(x);
  for (int i = 0; i < 200; ++i) runtime.submit(sleeper.codelet, {handle});
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(sleeper.by_teams + sleeper.alone == 200);
  BOOST_TEST(sleeper.by_teams > 20);
}

BOOST_AUTO_TEST_CASE(clients_of_a_service_get_teams_by_what_the_past_says) {
  Sleeper sleeper;
  RuntimeOptions options = two_cores();
  options.threads.shared = true;
  TestRuntime runtime(options);
  auto client = runtime->open_graph({"client", 1, nullptr});
  std::array<std::int64_t, 64> x{};
  const auto add = [&](std::size_t i) {
    return client->graph().register_data(
        {layout_of<std::int64_t>(1, 1, 1), reinterpret_cast<std::byte*>(&x[i]), nullptr, {}});
  };
  const std::vector<Access> on_one{add(0)};
  for (int i = 0; i < 300; ++i) client->graph().submit({sleeper.codelet, on_one, {}, {}}).value_or_throw();
  client->graph().wait_all().value_or_throw();
  BOOST_TEST(sleeper.by_teams > 150);
  // With many independent tasks, the pair becomes two single cores again.
  sleeper.alone = sleeper.by_teams = 0;
  std::vector<Handle> many;
  for (std::size_t i = 1; i < x.size(); ++i) many.push_back(add(i));
  // A team is so much slower than one core that single cores stay the better choice where a busy machine makes their
  // measured times several times too long.
  const Codelet stubborn = Codelet("stubborn", {AccessMode::read_write}).cpu_team([&](const KernelContext& context) {
    const bool team = context.team().size() > 1;
    std::this_thread::sleep_for(team ? 5ms : 1ms);
    (team ? sleeper.by_teams : sleeper.alone) += 1;
  });
  for (int i = 0; i < 20; ++i) {
    for (const Handle& handle : many)
      client->graph().submit({stubborn, std::vector<Access>{handle}, {}, {}}).value_or_throw();
  }
  client->graph().wait_all().value_or_throw();
  BOOST_TEST(sleeper.alone > sleeper.by_teams);
}

BOOST_AUTO_TEST_CASE(equal_runs_are_equal) {
  const std::vector<Phase> phases{{50, 3}, {1, 20}, {3, 30}, {100, 2}};
  const Outcome first = run(eight_cores("auto"), phases);
  const Outcome second = run(eight_cores("auto"), phases);
  BOOST_TEST(first.ms == second.ms);
  BOOST_TEST(first.changes == second.changes);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_chosen_is_refused) {
  const auto failure = [](const RuntimeOptions& options) {
    const auto started = RuntimeSystem::start(options);
    BOOST_TEST_REQUIRE(!started.ok());
    return started.failure().message;
  };
  RuntimeOptions options = tests::workers(2, "lws");
  options.clusters = "auto";
  BOOST_TEST(tests::contains(failure(options), "'lws' learns none: use heft"));
  options.policy = "heft";
  options.threads.deterministic = true;
  BOOST_TEST(tests::contains(failure(options), "a deterministic run learns none"));
  // The default policy is a policy that learns times.
  options.policy = "default";
  options.threads.deterministic = false;
  TestRuntime runtime(options);
  runtime.submit(Codelet("nothing", {}).cpu([](const KernelContext&) {}));
  BOOST_TEST(runtime.wait() == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors::by_hand
