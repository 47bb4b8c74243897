// Tests a placing policy that a program defines. The program gives the policy to the runtime as the manual describes.
#include <boost/test/unit_test.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "actors/scheduler/policy.hpp"
#include "troupe/machine.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(own_policy)

namespace {

/// Places every task on the last worker that can run it, and counts the tasks that the runtime asked about.
class LastOne final : public scheduler::PlacingPolicy {
 public:
  explicit LastOne(int& shown) : shown_(shown) {}

  void place(std::span<const scheduler::ReadyTask> tasks, const scheduler::Snapshot& snapshot, Random&,
             std::span<WorkerId> placement) override {
    shown_ += static_cast<int>(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      for (const scheduler::WorkerState& worker : snapshot.workers) {
        if (runs_on(tasks[i], worker, *snapshot.predictions)) placement[i] = worker.id;
      }
    }
  }
  [[nodiscard]] scheduler::PolicyTraits policy_traits() const override { return {.uses_times = false}; }

 private:
  int& shown_;
};

BOOST_AUTO_TEST_CASE(runs_on_this_machine) {
  int shown = 0;
  RuntimeOptions options;
  options.cores = 2;
  options.threads.oversubscribe = true;
  options.placement.make_policy = [&shown] { return std::make_unique<LastOne>(shown); };
  Runtime runtime(options);
  double value = 0;
  const Data data = runtime.scalar(value);
  const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](double& x) { x += 1; });
  for (int i = 0; i < 10; ++i) runtime.submit(add, {data});
  runtime.wait();
  BOOST_TEST(runtime.acquire(data, AccessMode::read).matrix<const double>()(0, 0) == 10);
  BOOST_TEST(shown == 10);
  BOOST_TEST(runtime.report().workers[1].counts.tasks == 10U);
  BOOST_TEST(runtime.policy() == "custom");
}

BOOST_AUTO_TEST_CASE(runs_in_virtual_time) {
  int shown = 0;
  SimulationOptions simulation;
  simulation.machine = platform::load_machine("idgraf-double").value_or_throw();
  simulation.gpus = {0, 1};
  RuntimeOptions options;
  options.simulation = std::make_shared<const SimulationOptions>(simulation);
  options.placement.make_policy = [&shown] { return std::make_unique<LastOne>(shown); };
  Runtime runtime(options);
  const Data tile = runtime.matrix<double>(nullptr, 512, 512, 512);
  Codelet gemm = Codelet("gemm", {AccessMode::read_write})
                     .flops([](const KernelContext&) { return 2.0 * 512 * 512 * 512; })
                     .timed_as("cholesky/gemm/double");
  const Kernel nothing = [](const KernelContext&) {};
  gemm.implement(DeviceKind::cpu_core, nothing);
  gemm.implement(DeviceKind::cuda, nothing);
  for (int i = 0; i < 3; ++i) runtime.submit(gemm, {tile});
  runtime.wait();
  const RunReport report = runtime.report();
  BOOST_TEST(shown == 3);
  BOOST_TEST(report.workers.back().counts.tasks == 3U);
  BOOST_TEST(report.workers.back().device == "GPU 1");
  BOOST_TEST(report.transfers.host_to_device.count == 512U * 512 * 8);
}

BOOST_AUTO_TEST_CASE(must_be_made) {
  RuntimeOptions options;
  options.placement.make_policy = [] { return std::unique_ptr<scheduler::PlacingPolicy>(); };
  BOOST_CHECK_EXCEPTION(Runtime{options}, Error,
                        [](const Error& error) { return error.code() == ErrorCode::invalid_argument; });
  options.placement.make_policy = []() -> std::unique_ptr<scheduler::PlacingPolicy> {
    throw std::runtime_error("no licence");
  };
  BOOST_CHECK_EXCEPTION(Runtime{options}, Error, [](const Error& error) {
    return error.code() == ErrorCode::invalid_argument &&
           std::string(error.what()).find("make_policy threw: no licence") != std::string::npos;
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
