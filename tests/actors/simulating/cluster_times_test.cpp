#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "tests/actors/simulating/machine_by_hand.hpp"
#include "troupe/simulation_options.hpp"

// Tests of runs in virtual time on clusters of cores.
namespace troupe::actors::by_hand {

namespace {

/// Eight cores. 20 us of the kernel's 100 us cannot be divided among cores, so the kernel takes 60 us on two cores and
/// 40 us on four. The machine description only has the time on four cores.
SimulationOptions clustered(const std::string& clusters, std::size_t gpus = 0) {
  SimulationOptions options = simulation(gpus);
  options.machine.cores = 8;
  options.cores = 8;
  options.clusters = clusters;
  options.real_buffers = false;
  platform::TileTimes times{1000, 0, platform::KernelTime{100, 0}, {}, {{4, {40, 0}}}};
  times.gpus.assign(gpus, {10, 0});
  options.machine.kernels = {{"test", "kernel", "double", {times}, gpus}};
  return options;
}

Codelet work(int most_cores) {
  Codelet codelet("work", {AccessMode::read_write});
  const auto nothing = [](const KernelContext&) {};
  codelet.cpu(nothing);
  if (most_cores > 1) codelet.cpu_team(nothing, most_cores);
  return std::move(codelet).timed_as("test/kernel/double");
}

struct ClusterRun {
  std::vector<Span> spans;
  RunReport report;
};

/// Runs `tasks` independent chains of `length` tasks each. Each chain has data of its own.
ClusterRun run_of(const SimulationOptions& options, const std::string& policy, const Codelet& codelet, int tasks,
                  int length = 1) {
  TestRuntime runtime(in_virtual_time(options, policy));
  std::vector<Values> values(static_cast<std::size_t>(tasks), Values(8));
  std::vector<Handle> handles;
  for (Values& value : values) handles.push_back(registered(runtime, value));
  for (int i = 0; i < length; ++i) {
    for (const Handle& handle : handles) runtime.submit(codelet, {handle});
  }
  BOOST_TEST(runtime.wait() == "");
  return {spans(runtime->take_trace()), runtime->report()};
}

Duration span_of(const ClusterRun& run) { return std::ranges::max(run.spans, {}, &Span::end).end; }

}  // namespace

BOOST_AUTO_TEST_SUITE(cluster_times)

BOOST_AUTO_TEST_CASE(a_task_takes_the_time_of_its_cluster) {
  check_span(run_of(clustered("1x4"), "mct", work(8), 1).spans[0], {}, microseconds(40));
  check_span(run_of(clustered("4x2"), "mct", work(8), 1).spans[0], {}, microseconds(60));
  check_span(run_of(clustered("1x8"), "mct", work(8), 1).spans[0], {}, microseconds(30));
  check_span(run_of(clustered(""), "mct", work(8), 1).spans[0], {}, microseconds(100));
}

BOOST_AUTO_TEST_CASE(a_codelet_uses_what_it_can) {
  check_span(run_of(clustered("1x8"), "mct", work(1), 1).spans[0], {}, microseconds(100));
  check_span(run_of(clustered("1x8"), "mct", work(2), 1).spans[0], {}, microseconds(60));
}

BOOST_AUTO_TEST_CASE(policies_that_know_times_go_by_them_on_mixed_clusters) {
  // One cluster of four cores and four single cores. In 120 us the cluster runs three tasks and each single core runs
  // one.
  for (const char* policy : {"mct", "heft", "heft-rank", "homeward"}) {
    BOOST_TEST_CONTEXT(policy) {
      const ClusterRun run = run_of(clustered("1x4"), policy, work(8), 7);
      BOOST_TEST((span_of(run) == microseconds(120)));
      for (const WorkerReport& worker : run.report.workers)
        BOOST_TEST(worker.counts.tasks == (worker.cores == 4 ? 3U : 1U));
    }
  }
}

BOOST_AUTO_TEST_CASE(policies_that_do_not_know_times_give_every_worker_what_it_asks_for) {
  for (const char* policy : {"eager", "lws"}) {
    BOOST_TEST_CONTEXT(policy) {
      const ClusterRun run = run_of(clustered("1x4"), policy, work(8), 70);
      std::uint64_t on_cluster = 0;
      std::uint64_t most_on_one = 0;
      for (const WorkerReport& worker : run.report.workers) {
        if (worker.cores == 4) {
          on_cluster = worker.counts.tasks;
        } else {
          most_on_one = std::max(most_on_one, worker.counts.tasks);
        }
      }
      // The cluster is 2.5 times as fast as a single core, so it must run more tasks.
      BOOST_TEST(on_cluster > most_on_one);
      BOOST_TEST((span_of(run) < microseconds(70 * 100 / 5)));
    }
  }
}

BOOST_AUTO_TEST_CASE(times_on_clusters_are_learned) {
  SimulationOptions options = clustered("1x4+1x2");
  options.knowledge.model = SimulationOptions::Model::learned;
  const ClusterRun run = run_of(options, "mct", work(8), 10, 20);
  // No times are known at first. Later the run should approach the best rate: 1/100 of a task per microsecond on each
  // single core, 1/60 on the cluster of two and 1/40 on the cluster of four.
  const double best_us = 200 / (2.0 / 100 + 1.0 / 60 + 1.0 / 40);
  BOOST_TEST(seconds(span_of(run)) * 1e6 < 1.3 * best_us);
  BOOST_TEST(seconds(span_of(run)) * 1e6 >= best_us);
}

BOOST_AUTO_TEST_CASE(a_machine_without_times_on_clusters_says_so) {
  SimulationOptions options = clustered("1x8");
  options.machine.kernels = machine(0).kernels;
  TestRuntime runtime(in_virtual_time(options, "eager"));
  Values values(8);
  runtime.submit(work(8), {registered(runtime, values)});
  const std::string failure = runtime.wait();
  for (const char* part :
       {"machine 'by hand' has no times for kernel 'test/kernel/double' on clusters", "cluster_us"}) {
    BOOST_TEST(failure.find(part) != std::string::npos, failure);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors::by_hand
