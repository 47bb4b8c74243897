// Tests of tasks whose data are already on the device that runs them.
#include <vector>

#include "platform/accelerators/emulated_accelerator.hpp"
#include "tests/client/fixture.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(resident_data)

namespace {

BOOST_AUTO_TEST_CASE(a_task_passes_the_memory_managers_lock_once) {
  RuntimeOptions options = with_workers(1);
  platform::EmulationOptions accelerator;
  accelerator.memory = {1U << 20U};
  options.accelerators.emulated_gpus = {accelerator};
  // The policy `lws` does not place tasks. A placing policy would prefetch data and thus lock the memory manager once
  // more for each task.
  options.policy = "lws";
  Runtime runtime(options);
  Codelet add("add", {AccessMode::read, AccessMode::read, AccessMode::read_write});
  add.implement(DeviceKind::emulated, [](const KernelContext& context) {
    context.vector<double>(2)[0] += context.vector<const double>(0)[0] + context.vector<const double>(1)[0];
  });
  Codelet one("one", {AccessMode::write});
  one.implement(DeviceKind::emulated, [](const KernelContext& context) { context.vector<double>(0)[0] = 1; });
  // The program has no direct access to the memory of these data, so a wait copies nothing to the host.
  std::vector<Data> data;
  for (int i = 0; i < 3; ++i) {
    data.push_back(runtime.allocate_vector<double>(10));
    runtime.submit(one, {data.back()});
  }
  runtime.wait();
  constexpr int kTasks = 200;
  const std::uint64_t before = runtime.report().transfers.manager.passes;
  for (int i = 0; i < kTasks; ++i) runtime.submit(add, {data[0], data[1], data[2]});
  runtime.wait();
  // Each task locks the memory manager once. Two more locks are expected: one by the wait, which looks for data that
  // must be copied to host memory, and one by the report above.
  BOOST_TEST(runtime.report().transfers.manager.passes - before == kTasks + 2U);
  BOOST_TEST(runtime.acquire(data[2], AccessMode::read).vector<double>()[0] == 1 + 2 * kTasks);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
