// Tasks whose data are already on the device where they run.
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
  // Placing policies prefetch data, which takes the lock once more.
  options.policy = "lws";
  Runtime runtime(options);
  Codelet add("add", {AccessMode::read, AccessMode::read, AccessMode::read_write});
  add.implement(DeviceKind::emulated, [](const KernelContext& context) {
    context.vector<double>(2)[0] += context.vector<const double>(0)[0] + context.vector<const double>(1)[0];
  });
  Codelet one("one", {AccessMode::write});
  one.implement(DeviceKind::emulated, [](const KernelContext& context) { context.vector<double>(0)[0] = 1; });
  // The program sees these data only while it holds them, so a wait brings nothing home.
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
  // One of the two extra passes is for the wait, which asks which data are away, the other for the report before.
  BOOST_TEST(runtime.report().transfers.manager.passes - before == kTasks + 2U);
  BOOST_TEST(runtime.acquire(data[2], AccessMode::read).vector<double>()[0] == 1 + 2 * kTasks);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
