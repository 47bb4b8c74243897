// Tests of tasks that may run only on some of the devices.
#include <array>
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <string>
#include <vector>

#include "platform/accelerators/emulated_accelerator.hpp"
#include "tests/client/fixture.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(restricted_tasks)

namespace {

const std::vector<std::string> kPolicies{"lws", "eager", "homeward", "heft", "dada", "dada:alpha=0.9", "heteroprio"};

/// Returns options for two cores and an accelerator.
RuntimeOptions with_accelerator(std::string policy = "default") {
  RuntimeOptions options = with_workers(2);
  options.policy = std::move(policy);
  platform::EmulationOptions accelerator;
  accelerator.memory = {1U << 20U};
  options.accelerators.emulated_gpus = {accelerator};
  return options;
}
constexpr WorkerId kAccelerator(2);

/// Counts the tasks that each worker has run.
struct Counts {
  std::array<std::atomic<int>, 3> by_worker{};

  Codelet codelet(const std::string& name = "count") {
    return Codelet(name, {AccessMode::read_write}).cpu([this](const KernelContext& context) {
      ++by_worker[context.worker.index()];
      context.vector<double>(0)[0] += 1;
    });
  }
  [[nodiscard]] int on_cores() const { return by_worker[0] + by_worker[1]; }
  [[nodiscard]] int on_accelerator() const { return by_worker[kAccelerator.index()]; }
};

namespace data = boost::unit_test::data;

BOOST_DATA_TEST_CASE(they_run_there_and_nowhere_else, data::make(kPolicies), policy) {
  Runtime runtime(with_accelerator(policy));
  Counts cores;
  Counts accelerators;
  const Codelet on_cores = cores.codelet("on cores");
  const Codelet on_accelerators = accelerators.codelet("on accelerators");
  std::vector<std::vector<double>> memory(4, std::vector<double>(8));
  std::vector<Data> pieces;
  for (auto& each : memory) pieces.push_back(runtime.vector(each));
  for (int i = 0; i < 200; ++i) {
    const Data& piece = pieces[static_cast<std::size_t>(i) % pieces.size()];
    runtime.submit(on_cores, {piece}, {}, {.devices = DeviceSet::cores()});
    runtime.submit(on_accelerators, {piece}, {}, {.devices = DeviceKind::emulated});
  }
  runtime.wait();
  BOOST_TEST(cores.on_cores() == 200);
  BOOST_TEST(accelerators.on_accelerator() == 200);
  for (const auto& each : memory) BOOST_TEST(each[0] == 100);
}

BOOST_AUTO_TEST_CASE(a_task_of_the_same_codelet_without_a_restriction_may_run_anywhere) {
  Runtime runtime(with_accelerator("eager"));
  Counts counts;
  const Codelet codelet = counts.codelet();
  std::vector<double> memory(8);
  const Data piece = runtime.vector(memory);
  runtime.submit(codelet, {piece}, {}, {.devices = DeviceKind::emulated});
  for (int i = 0; i < 20; ++i) runtime.submit(codelet, {piece});
  runtime.submit(codelet, {piece}, {}, {.devices = DeviceSet::cores() | DeviceSet::accelerators()});
  runtime.wait();
  BOOST_TEST(counts.on_accelerator() >= 1);
  BOOST_TEST(counts.on_accelerator() + counts.on_cores() == 22);
}

BOOST_AUTO_TEST_CASE(tasks_of_recordings_are_restricted_too) {
  Runtime runtime(with_accelerator());
  Counts counts;
  const Codelet codelet = counts.codelet();
  std::vector<double> memory(8);
  const Data piece = runtime.vector(memory);
  const RecordedGraph graph =
      runtime.record([&] { runtime.submit(codelet, {piece}, {}, {.devices = DeviceSet::cores()}); });
  for (int i = 0; i < 20; ++i) graph.run();
  runtime.wait();
  BOOST_TEST(counts.on_cores() == 20);
  BOOST_TEST(counts.on_accelerator() == 0);
}

BOOST_AUTO_TEST_CASE(a_runtime_can_restrict_codelets_by_name) {
  RuntimeOptions options = with_accelerator();
  options.placement.restrict = "left,other:cores;right:gpus";
  Runtime runtime(options);
  Counts left;
  Counts right;
  Counts none;
  const Codelet on_cores = left.codelet("left");
  const Codelet on_accelerators = right.codelet("right");
  const Codelet nowhere = none.codelet("right");
  std::vector<double> memory(8);
  const Data piece = runtime.vector(memory);
  for (int i = 0; i < 20; ++i) {
    runtime.submit(on_cores, {piece});
    runtime.submit(on_accelerators, {piece});
  }
  runtime.wait();
  BOOST_TEST(left.on_cores() == 20);
  BOOST_TEST(right.on_accelerator() == 20);
  // The task must meet the restrictions of the codelet and of its options.
  BOOST_CHECK_EXCEPTION(runtime.submit(nowhere, {piece}, {}, {.devices = DeviceSet::cores()}), Error,
                        failure(ErrorCode::no_implementation, "restricted to no device"));
}

BOOST_AUTO_TEST_CASE(what_leaves_no_device_is_refused) {
  Counts counts;
  std::vector<double> memory(8);
  Runtime runtime(with_accelerator());
  const Data piece = runtime.vector(memory);
  BOOST_CHECK_EXCEPTION(runtime.submit(counts.codelet(), {piece}, {}, {.devices = DeviceKind::cuda}), Error,
                        failure(ErrorCode::no_implementation, "codelet 'count'", "restricted to CUDA GPU"));
  RuntimeOptions options = with_workers(1);
  options.placement.restrict = "gemm:gpus";
  BOOST_CHECK_EXCEPTION(Runtime{options}, Error,
                        failure(ErrorCode::invalid_argument, "'gemm' is restricted to", "the runtime has none"));
  options.placement.restrict = "gemm";
  BOOST_CHECK_EXCEPTION(Runtime{options}, Error, failure(ErrorCode::invalid_argument, "restriction 'gemm'"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
