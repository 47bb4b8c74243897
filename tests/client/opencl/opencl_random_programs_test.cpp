// Random programs on cores and OpenCL devices.
//
//   test_client --run_test=opencl_random_programs -- FIRST [COUNT]   runs COUNT seeds (default 1), beginning with
// FIRST.
#include <CL/cl_icd.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): setenv is POSIX

#include <boost/test/unit_test.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platform/opencl/opencl_devices.hpp"
#include "tests/client/seeds.hpp"
#include "tests/soak/seed_watchdog.hpp"
#include "tests/support/random/emulated_run_actor.hpp"
#include "tests/support/skipping.hpp"
#include "troupe/opencl.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(opencl_random_programs)

namespace {

/// Returns true if pocl's devices are there; otherwise skips the test case. Two of these devices compute in the thread
/// that enqueues a command, inside the call.
bool has_devices_for_programs() {
  static const std::size_t devices = [] {
    ::setenv("OCL_ICD_VENDORS", "pocl.icd", 1);
    ::setenv("POCL_DEVICES", "basic basic pthread", 1);
    return platform::list_opencl_devices().devices.size();
  }();
  if (devices < 2) skip("pocl's devices cannot be had (pocl-opencl-icd)");
  return devices >= 2;
}

/// Maps the buffers of a task. The host can use the buffers while the object lives.
class MappedData {
 public:
  explicit MappedData(const KernelContext& context) : launch_(*static_cast<OpenClLaunch*>(context.stream)) {
    views_.reserve(context.size());
    for (std::size_t i = 0; i < context.size(); ++i) views_.push_back(map(context.data(i)));
    for (const DataView& view : views_) pointers_.push_back(&view);
  }
  MappedData(const MappedData&) = delete;
  MappedData& operator=(const MappedData&) = delete;
  ~MappedData() {
    for (const auto& [buffer, place] : mapped_) {
      (void)launch_.api().clEnqueueUnmapMemObject(launch_.queue(), buffer, place, 0, nullptr, nullptr);
    }
  }

  [[nodiscard]] const std::vector<const DataView*>& data() const { return pointers_; }

 private:
  DataView map(const DataView& view) {
    const std::size_t bytes = view.layout.payload().count;
    if (bytes == 0) return view;
    const cl_mem buffer = launch_.buffer(view.data);
    cl_int status = CL_SUCCESS;
    void* const place = launch_.api().clEnqueueMapBuffer(launch_.queue(), buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                                         0, bytes, 0, nullptr, nullptr, &status);
    if (status != CL_SUCCESS) throw std::runtime_error("mapping failed: " + std::to_string(status));
    mapped_.emplace_back(buffer, place);
    return {static_cast<std::byte*>(place), view.layout};
  }

  const OpenClLaunch& launch_;
  std::vector<DataView> views_;
  std::vector<const DataView*> pointers_;
  std::vector<std::pair<cl_mem, void*>> mapped_;
};

Kernel on_mapped_buffers(Kernel kernel) {
  return [kernel = std::move(kernel)](const KernelContext& context) {
    // Every kernel of random programs has two arguments: the program and the index of the task.
    Arguments arguments;
    arguments.append(context.argument<std::uint64_t>(0));
    arguments.append(context.argument<int>(1));
    const MappedData mapped(context);
    KernelContext here(mapped.data(), arguments.view());
    here.worker = context.worker;
    here.task = context.task;
    kernel(here);
  };
}

/// Draws a run like `emulated_run`, but with one or all OpenCL devices in place of emulated accelerators. In every
/// other run the devices have memory of the drawn size. In the other runs they work in place, either on all data or
/// only on data that are aligned for every type.
EmulatedRun opencl_run(std::uint64_t seed) {
  EmulatedRun run = emulated_run(seed);
  run.runtime.accelerators.emulated_gpus.clear();
  run.runtime.accelerators.opencl = seed % 3 == 0 ? "1" : "all";
  if (seed % 2 == 0) {
    run.runtime.accelerators.opencl_alignment = seed % 4 == 0 ? 1 : 0;
  } else {
    run.runtime.accelerators.opencl_memory = run.program.devices.gpu_memory;
  }
  run.program.devices.gpu = DeviceKind::opencl;
  run.program.devices.on_gpu = on_mapped_buffers;
  run.program.device_faults = false;
  return run;
}

}  // namespace

BOOST_AUTO_TEST_CASE(end_as_if_run_one_task_after_the_other) {
  if (!has_devices_for_programs()) return;
  const Seeds run = seeds(200);
  SeedWatchdog watchdog;
  std::uint64_t tasks = 0;
  std::uint64_t in_place = 0;
  TransferReport sum;
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    watchdog.next(seed);
    const EmulatedRun one = opencl_run(seed);
    RunReport report;
    for (const std::string& problem : execute(one, nullptr, &report)) {
      BOOST_ERROR("seed " << seed << " (" << describe(one) << "): " << problem);
    }
    for (const WorkerReport& worker : report.workers) {
      if (worker.kind == DeviceKind::opencl) tasks += worker.counts.tasks;
      if (worker.kind == DeviceKind::opencl_in_place) in_place += worker.counts.tasks;
    }
    sum.host_to_device += report.transfers.host_to_device;
    sum.manager.evictions += report.transfers.manager.evictions;
    sum.manager.write_backs += report.transfers.manager.write_backs;
  }
  BOOST_TEST_MESSAGE(tasks << " tasks on OpenCL devices and " << in_place << " in place, " << sum.host_to_device.count
                           << " bytes to them, " << sum.manager.evictions << " evictions, " << sum.manager.write_backs
                           << " write-backs");
  if (run.count < 100) return;
  BOOST_TEST(tasks > 2 * run.count);
  BOOST_TEST(in_place > 2 * run.count);
  BOOST_TEST(10 * sum.manager.evictions > run.count);
  BOOST_TEST(20 * sum.manager.write_backs > run.count);
}

BOOST_AUTO_TEST_CASE(end_the_same_recorded_and_run_again) {
  if (!has_devices_for_programs()) return;
  const Seeds run = seeds(50);
  SeedWatchdog watchdog;
  for (std::uint64_t seed = run.first; seed < run.first + run.count; ++seed) {
    watchdog.next(seed);
    const EmulatedRun one = opencl_run(seed);
    for (const std::string& problem : execute_recorded(one)) {
      BOOST_ERROR("seed " << seed << " (" << describe(one) << ", recorded): " << problem);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
