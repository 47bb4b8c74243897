// Tests of runs, most in virtual time, that must learn kernel times, although no two tasks have the same size.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <tuple>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/learned_cases.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(learned_times)

namespace {

/// The program `soak_learned_times` prints the results of all cases as a table.
BOOST_DATA_TEST_CASE(cost_a_run_a_fifth_at_most, boost::unit_test::data::make({"homeward", "heft", "mct"})) {
  for (const LearnedCase& of : learned_cases()) {
    const double ratio = learned_ratio(of, 400, sample);
    BOOST_TEST(ratio <= 1.2, of.name << ": " << ratio);
  }
}

/// One kernel is fast on cores, the other on accelerators.
BOOST_DATA_TEST_CASE(are_found_out_by_five_tasks_at_most_of_each_kernel_on_each_kind_of_device,
                     boost::unit_test::data::make({"homeward", "heft", "mct", "dada"})) {
  using namespace std::chrono_literals;
  const auto small = [](Random& random) -> DrawnShapes { return {{learned::uniform(random, 100, 200), 1}}; };
  const LearnedCase of{"mixed",
                       {{"for gpus", {AccessMode::write}, small, {.core = TaskTime(4ms), .gpu = TaskTime(2us)}},
                        {"for cores", {AccessMode::write}, small, {.core = TaskTime(2us), .gpu = TaskTime(3ms)}}},
                       {.cores = 4, .gpus = 2}};
  const RunReport report = learned_run(of, 200, sample, SimulationOptions::Model::learned);
  BOOST_TEST(report.predictions.size() >= 2U);
  for (const PredictionReport& found : report.predictions) {
    const std::uint64_t ran = found.errors.tasks + found.errors.unpredicted;
    const bool slow = (found.codelet == "for gpus") == (found.kind == DeviceKind::cpu_core);
    if (slow) BOOST_TEST(ran <= 5U, ran << " tasks of the kernel " << found.codelet << " on " << to_string(found.kind));
  }
}

void spin_for(Duration time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

/// This case runs in real time. Other programs may keep a thread from its core for longer than a kernel takes, so the
/// case does not check what the policies make of the times, but only how many tasks they place without knowing a time.
BOOST_DATA_TEST_CASE(are_found_out_by_five_tasks_at_most_in_real_time,
                     boost::unit_test::data::make({"homeward", "heft", "mct", "dada"})) {
  using namespace std::chrono_literals;
  RuntimeOptions options = with_workers(4);
  options.accelerators.emulated_gpus.resize(2);
  options.policy = sample;
  Runtime runtime(options);
  std::vector<Codelet> kernels;
  for (const auto& [name, core, gpu] : {std::tuple("for gpus", 1ms, 0ms), std::tuple("for cores", 0ms, 1ms)}) {
    Codelet& kernel = kernels.emplace_back(name, std::vector{AccessMode::write});
    kernel.implement(DeviceKind::cpu_core, [time = core](const KernelContext&) { spin_for(time); });
    kernel.implement(DeviceKind::emulated, [time = gpu](const KernelContext&) { spin_for(time); });
  }
  std::vector<Data> all;
  for (std::int64_t i = 0; i < 100; ++i) {
    for (const Codelet& kernel : kernels) {
      runtime.submit(kernel, {all.emplace_back(runtime.allocate_vector<double>(100 + i))});
    }
  }
  runtime.wait();
  BOOST_TEST(runtime.report().predictions.size() >= 2U);
  for (const PredictionReport& of : runtime.report().predictions) {
    BOOST_TEST(of.errors.unpredicted <= 5U, of.codelet << " on " << to_string(of.kind));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
