// Random programs on plain threads, small enough for the thread sanitizer.
#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

#include "proto/random.hpp"
#include "tests/support/random/random_program.hpp"
#include "tests/support/random/random_recording.hpp"
#include "tests/support/step_host.hpp"
#include "tests/support/thread_host.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(random_programs_on_threads)

namespace {

void report(std::uint64_t seed, const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) BOOST_ERROR("seed " << seed << ": " << problem);
}

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Random random(seed);
    ThreadHost::Options machine;
    machine.workers = 1 + random.below(6);
    machine.window = random.below(2) == 0 ? 1 + random.below(8) : 65536;
    machine.seed = seed;
    ThreadHost host(machine);
    ProgramOptions program;
    program.seed = seed;
    program.submitters = 1 + static_cast<int>(random.below(3));
    program.operations = 10 + static_cast<int>(random.below(150));
    program.faults = random.below(2) == 0;
    program.nested = random.below(2) == 0;
    report(seed, run_program(host.graph(), program));
    // Another program runs on this graph, which already has handles and tasks from the first program.
    program.seed = seed + 1000000;
    report(seed, run_program(host.graph(), program));
  }
}

BOOST_AUTO_TEST_CASE(end_the_same_in_one_thread) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    graph::GraphOptions options;
    options.window = seed % 3 == 0 ? 1 : 65536;
    StepHost host(options);
    ProgramOptions program;
    program.seed = seed;
    program.operations = 10 + static_cast<int>(seed % 97);
    program.faults = seed % 2 == 0;
    program.nested = seed % 4 < 2;
    report(seed, run_program(host.graph, program));
  }
}

BOOST_AUTO_TEST_CASE(end_the_same_recorded_and_run_again) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    graph::GraphOptions options;
    options.workers = 1;
    options.window = seed % 3 == 0 ? 1 : 65536;
    StepHost host(options);
    RandomRecordingOptions recording;
    recording.seed = seed;
    recording.tasks = 2 + static_cast<int>(seed % 71);
    recording.faults = seed % 2 == 0;
    report(seed, run_random_recording(host.graph, recording));
  }
}

BOOST_AUTO_TEST_CASE(end_the_same_recorded_and_run_by_several_threads) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    ThreadHost::Options machine;
    machine.workers = 1 + random.below(5);
    machine.window = random.below(2) == 0 ? 1 + random.below(8) : 65536;
    machine.seed = seed;
    ThreadHost host(machine);
    const std::size_t submitters = 1 + random.below(3);
    std::vector<std::vector<std::string>> problems(submitters);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < submitters; ++i) {
      RandomRecordingOptions recording;
      recording.seed = 100 * seed + i;
      recording.tasks = 2 + static_cast<int>(random.below(70));
      recording.faults = random.below(2) == 0;
      recording.alone = submitters == 1;
      threads.emplace_back(
          [&host, &problems, i, recording] { problems[i] = run_random_recording(host.graph(), recording); });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < submitters; ++i) report(100 * seed + i, problems[i]);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
