// Writes traces of several kinds of programs in both formats, and reads them again.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "actors/running/runtime_system.hpp"
#include "platform/files/child_process.hpp"
#include "platform/machine/clock.hpp"
#include "proto/json/json.hpp"
#include "tests/support/random/random_run_actor.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/traces/files/chrome_trace_checks.hpp"
#include "tests/traces/files/paje_trace_checks.hpp"
#include "traces/analysis/run_analysis.hpp"
#include "traces/files/trace_file.hpp"
#include "troupe/runtime.hpp"

namespace troupe::traces {

namespace traced_programs {

struct Fixture {
  tests::TemporaryFolder folder;
  bool read_by_pajeng = true;

  ~Fixture() {
    if (!read_by_pajeng) std::cout << "not tested: what pj_dump says of the trace, as it is not installed (pajeng)\n";
  }

  /// Writes the trace in both formats. Reads the files and checks them.
  tests::ChromeContent check(const Trace& trace, std::size_t workers, TimeStamp begin) {
    TraceDescription description{"a program", {}, begin};
    for (std::size_t i = 0; i < workers; ++i) description.workers.push_back("cpu core " + std::to_string(i));
    const std::string paje = folder.path("t.paje");
    BOOST_TEST_REQUIRE(write_trace(folder.path("t.json"), trace, description).ok());
    BOOST_TEST_REQUIRE(write_trace(paje, trace, description).ok());
    tests::PajeContent content(folder.read("t.paje"));
    const tests::ChromeContent chrome = tests::check_chrome(folder.read("t.json"));
    BOOST_TEST(content.counts["PajeStartLink"] == chrome.flows);
    const auto dumped = platform::run_child({"pj_dump", "--quiet", paje}, "", std::chrono::seconds(60));
    if (dumped) {
      BOOST_TEST(dumped.value().exit_status == 0, dumped.value().errors);
    } else {
      read_by_pajeng = false;
    }
    return chrome;
  }
};

}  // namespace traced_programs

BOOST_FIXTURE_TEST_SUITE(traced_programs, Fixture)

BOOST_AUTO_TEST_CASE(random_ones_with_faults_and_cancellations_can_be_read) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      tests::RandomRun run = tests::random_run(seed);
      run.runtime.trace = true;
      run.program.faults = seed % 2 == 0;
      const TimeStamp begin = platform::SteadyClock().now();
      const auto system = actors::RuntimeSystem::start(run.runtime).value_or_throw();
      BOOST_TEST(tests::run_program(system->graph(), run.program).empty());
      const Trace trace = system->take_trace();
      BOOST_TEST(check(trace, system->workers(), begin).tasks.size() == trace.events.size());
    }
  }
}

BOOST_AUTO_TEST_CASE(of_a_task_that_fails_it_is_marked_and_those_that_are_cancelled_are_not_there) {
  RuntimeOptions options;
  options.cores = 2;
  options.threads.oversubscribe = true;
  options.trace = true;
  const TimeStamp begin = platform::SteadyClock().now();
  Runtime runtime(options);
  double x = 1;
  double y = 1;
  const Data dx = runtime.scalar(x, "x");
  const Data dy = runtime.scalar(y, "y");
  const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](double& v) { v += 1; });
  const Codelet fails =
      Codelet("fails", {AccessMode::read_write}).cpu([](double&) { throw std::runtime_error("on purpose"); });
  const Codelet copy =
      Codelet("copy", {AccessMode::read, AccessMode::write}).cpu([](const double& a, double& b) { b = a; });
  runtime.submit(add, {dx});
  runtime.submit(fails, {dx});
  runtime.submit(copy, {dx, dy});
  BOOST_CHECK_THROW(runtime.wait(), Error);
  const tests::ChromeContent content = check(runtime.take_trace(), 2, begin);
  BOOST_TEST_REQUIRE(content.tasks.size() == 2U);
  const auto failed = std::count_if(content.tasks.begin(), content.tasks.end(), [](const Json& task) {
    return task["name"] == "fails" && task["args"].value("failed", false);
  });
  BOOST_TEST(failed == 1);
  BOOST_TEST(content.flows == 1U);
}

BOOST_AUTO_TEST_CASE(of_nested_tasks_that_wait_no_time_counts_twice) {
  constexpr int kLevels = 8;
  for (const int workers : {1, 2, 3}) {
    BOOST_TEST_CONTEXT(workers << " workers") {
      RuntimeOptions options;
      options.cores = workers;
      options.threads.oversubscribe = true;
      options.trace = true;
      const TimeStamp begin = platform::SteadyClock().now();
      Runtime runtime(options);
      const auto nested = [] {
        TaskOptions nested;
        nested.nested = true;
        return nested;
      };
      const std::function<void(int)> run = [&](int levels) {
        const TimeStamp until = platform::SteadyClock().now() + std::chrono::microseconds(5);
        while (platform::SteadyClock().now() < until) continue;
        for (int i = 0; i < 2 && levels > 0; ++i) {
          runtime.submit(nested(), [&run, levels] { run(levels - 1); });
        }
        if (levels % 2 == 0) runtime.wait();
      };
      runtime.submit(nested(), [&run] { run(kLevels); });
      runtime.wait();
      const Trace trace = runtime.take_trace();
      const tests::ChromeContent content = check(trace, static_cast<std::size_t>(workers), begin);
      const std::size_t tasks = (std::size_t{2} << kLevels) - 1;
      BOOST_TEST_REQUIRE(content.tasks.size() == tasks);
      // There is an arrow to each task but the first. Nothing else depends on one another.
      BOOST_TEST(content.flows == tasks - 1);
      BOOST_TEST(!trace.waits.empty());
      const RunAnalysis analysis = analyse(trace, static_cast<std::size_t>(workers));
      BOOST_TEST(analysis.nested.inside == tasks - 1);
      BOOST_TEST(analysis.nested.levels == static_cast<std::uint64_t>(kLevels));
      Duration kernels{};
      for (const TraceEvent& event : trace.events) kernels += event.duration();
      BOOST_TEST((analysis.sum().kernels == kernels));
      BOOST_TEST((kernels <= analysis.makespan * workers));
      BOOST_TEST((analysis.path.length <= analysis.makespan));
      // The path has all of a chain of tasks.
      BOOST_TEST((analysis.path.length >= (kLevels + 1) * std::chrono::microseconds(5)));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
