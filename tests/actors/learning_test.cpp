// Tests of placing policies on this machine, with real threads and learned kernel times.
#include <algorithm>
#include <atomic>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/actors/runtime_fixture.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::actors {

namespace learning {

using namespace std::chrono_literals;
using tests::contains;
using tests::TemporaryFolder;
using tests::TestRuntime;
using tests::workers;

const std::vector<std::string> kPolicies{"mct",  "mct:rounds",        "heft",       "heft:cp,rounds", "heft-rank",
                                         "dada", "dada:alpha=0.5,cp", "heteroprio", "homeward"};

void spin_for(Duration time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

struct Learning {
  Learning() {
    options = workers(2, "heft");
    options.placement.models = folder.path();
    options.observation.on_warning = [this](const std::string& what) { warnings.push_back(what); };
  }
  /// Runs tasks of 100 us, each on one of `data` numbers.
  RunReport run(int tasks, int data = 8) {
    TestRuntime runtime(options);
    const Codelet spin = Codelet("spin", {AccessMode::read_write}).cpu([](const KernelContext&) { spin_for(100us); });
    std::vector<double> numbers(static_cast<std::size_t>(data));
    std::vector<Handle> handles;
    for (double& number : numbers) handles.push_back(runtime.scalar(number));
    for (int i = 0; i < tasks; ++i) {
      runtime.submit(spin, {read_write(handles[static_cast<std::size_t>(i % data)])});
    }
    BOOST_TEST(runtime.wait() == "");
    return runtime->report();
  }

  TemporaryFolder folder;
  RuntimeOptions options;
  std::vector<std::string> warnings;
};

}  // namespace learning

BOOST_FIXTURE_TEST_SUITE(learning, Learning)

BOOST_DATA_TEST_CASE(every_placing_policy_runs_a_program_as_written, boost::unit_test::data::make(kPolicies)) {
  options.policy = sample;
  for (int round = 0; round < 5; ++round) {
    TestRuntime runtime(options);
    const Codelet add =
        Codelet("add", {AccessMode::read, AccessMode::read_write}).cpu([](const double& x, double& y) { y += x; });
    std::vector<double> numbers(10, 1);
    std::vector<Handle> handles;
    for (double& number : numbers) handles.push_back(runtime.scalar(number));
    // Each task adds one handle's number to the next handle's, so nearly every task needs the result of another one.
    for (std::size_t i = 0; i < 400; ++i) {
      runtime.submit(add, {read(handles[i % 10]), read_write(handles[(i + 1) % 10])});
    }
    BOOST_TEST(runtime.wait() == "");
    std::vector<double> expected(10, 1);
    for (std::size_t i = 0; i < 400; ++i) expected[(i + 1) % 10] += expected[i % 10];
    BOOST_TEST(numbers == expected, boost::test_tools::per_element());
    BOOST_TEST(runtime->report().ended == 400U);
  }
}

BOOST_DATA_TEST_CASE(independent_tasks_use_all_workers, boost::unit_test::data::make(kPolicies)) {
  options.policy = sample;
  // Another program may occupy a worker's core for a whole run, so the test repeats the run.
  std::uint64_t fewest = 0;
  for (int round = 0; round < 10 && fewest <= 50; ++round) {
    const RunReport report = run(300, 300);
    fewest = std::ranges::min(report.workers, {}, [](const WorkerReport& worker) {
               return worker.counts.tasks;
             }).counts.tasks;
  }
  BOOST_TEST(fewest > 50U);
}

BOOST_AUTO_TEST_CASE(failures_and_kernels_that_submit_are_as_under_local_policies) {
  for (const std::string& policy : kPolicies) {
    BOOST_TEST_CONTEXT(policy) {
      options.policy = policy;
      TestRuntime runtime(options);
      std::atomic<int> ran{0};
      double number = 0;
      const Handle handle = runtime.scalar(number);
      const Codelet leaf = Codelet("leaf", {}).cpu([&](const KernelContext&) { ++ran; });
      const Codelet root =
          Codelet("root", {}).cpu([&](const KernelContext&) { runtime.submit(leaf), runtime.submit(leaf); });
      const Codelet fails =
          Codelet("fails", {AccessMode::write}).cpu([](const KernelContext&) { throw std::runtime_error("no"); });
      const Codelet follows = Codelet("follows", {AccessMode::read}).cpu([&](const KernelContext&) { ++ran; });
      for (int i = 0; i < 50; ++i) runtime.submit(root);
      runtime.submit(fails, {write(handle)});
      for (int i = 0; i < 20; ++i) runtime.submit(follows, {read(handle)});
      BOOST_TEST(contains(runtime.wait(), "no"));
      BOOST_TEST(ran == 100);
      // The runtime is usable after the failure.
      runtime.submit(root);
      BOOST_TEST(runtime.wait() == "");
      BOOST_TEST(ran == 102);
    }
  }
}

BOOST_AUTO_TEST_CASE(workers_that_die_lose_no_task_that_a_policy_keeps) {
  for (const char* policy : {"heteroprio", "heft", "homeward"}) {
    options.policy = policy;
    TestRuntime runtime(options);
    std::atomic<int> ran{0};
    const Codelet count = Codelet("count", {}).cpu([&](const KernelContext& context) {
      if (++ran % 10 == 0) runtime->kill_worker(context.worker);
    });
    for (int i = 0; i < 200; ++i) runtime.submit(count);
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(ran == 200);
  }
}

BOOST_AUTO_TEST_CASE(predictions_are_compared_with_what_happened) {
  const RunReport report = run(200);
  BOOST_REQUIRE(report.predictions.size() == 1U);
  const PredictionReport& of = report.predictions[0];
  BOOST_TEST(of.codelet == "spin");
  BOOST_TEST((of.kind == DeviceKind::cpu_core));
  BOOST_TEST(of.errors.tasks > 100U);
  // The first few tasks were measured, so they had no prediction.
  BOOST_TEST(of.errors.tasks < 200U);
  BOOST_TEST(of.errors.tasks + of.errors.unpredicted == 200U);
  BOOST_TEST(of.errors.mean_measured_s() >= 1e-4);
  BOOST_TEST(of.errors.mean_predicted_s() >= 1e-4);
  BOOST_TEST(of.errors.mean_relative() >= 0);
}

BOOST_AUTO_TEST_CASE(what_was_learned_is_known_to_the_next_runtime) {
  (void)run(50);
  BOOST_REQUIRE(folder.names().size() == 1U);
  BOOST_TEST(folder.names()[0].starts_with("kernel-times-"));
  const RunReport report = run(20);
  BOOST_REQUIRE(report.predictions.size() == 1U);
  // The second runtime has the first one's times, so it predicts every task.
  BOOST_TEST(report.predictions[0].errors.tasks == 20U);
  BOOST_TEST(report.predictions[0].errors.unpredicted == 0U);
  BOOST_TEST(warnings.empty());
}

BOOST_AUTO_TEST_CASE(the_last_tasks_are_learned_too) {
  // No task becomes ready after the last tasks, so nothing else makes the runtime read their times. On a busy machine
  // the model ignores times that are far from the other times, so it may have too few times. Then the test repeats.
  std::vector<PredictionReport> predictions;
  for (int round = 0; round < 10 && (predictions.empty() || predictions[0].errors.tasks == 0); ++round) {
    options.placement.models = folder.path(std::to_string(round));
    (void)run(3, 3);
    predictions = run(3, 3).predictions;
  }
  BOOST_REQUIRE(predictions.size() == 1U);
  BOOST_TEST(predictions[0].errors.tasks == 3U);
}

BOOST_AUTO_TEST_CASE(a_damaged_file_is_told_of_and_replaced) {
  (void)run(20);
  const std::string name = folder.names().at(0);
  folder.write(name, folder.read(name).substr(0, 100));
  (void)run(20);
  BOOST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(contains(warnings[0], name));
  BOOST_TEST(contains(warnings[0], "learned anew"));
  (void)run(20);
  BOOST_TEST(warnings.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_folder_that_cannot_be_is_told_of) {
  options.placement.models = folder.write("file", "") + "/below";
  (void)run(20);
  BOOST_REQUIRE(!warnings.empty());
  BOOST_TEST(contains(warnings.back(), "lost"));
  options.observation.on_warning = [](const std::string&) { throw std::runtime_error("dropped"); };
  (void)run(20);
  options.observation.on_warning = nullptr;
  (void)run(20);
}

BOOST_AUTO_TEST_CASE(nothing_is_kept_unless_asked_for_nor_where_nothing_is_learned) {
  options.placement.models = "";
  (void)run(20);
  BOOST_TEST(folder.names().empty());
  options.placement.models = folder.path();
  options.policy = "lws";
  BOOST_TEST(run(20).predictions.empty());
  options.policy = "heft";
  options.threads.deterministic = true;
  (void)run(20);
  BOOST_TEST(folder.names().empty());
}

BOOST_AUTO_TEST_CASE(tasks_that_fail_teach_nothing) {
  for (int round = 0; round < 2; ++round) {
    TestRuntime runtime(options);
    const Codelet fails = Codelet("fails", {}).cpu([](const KernelContext&) { throw std::runtime_error("no"); });
    for (int i = 0; i < 20; ++i) runtime.submit(fails);
    BOOST_TEST(contains(runtime.wait(), "no"));
    BOOST_TEST(runtime->report().predictions.empty());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
