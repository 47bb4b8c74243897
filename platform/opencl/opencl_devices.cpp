#include "platform/opencl/opencl_devices.hpp"

#include <optional>

#include "platform/machine/binding.hpp"
#include "platform/opencl/opencl_loading.hpp"

namespace troupe::platform {

namespace {

/// Where the process might run before anybody bound its threads.
const Result<CpuSet> kPusAtStart = this_thread_binding();

/// Drivers start threads, which may run where the thread that starts them may: not on one core, because a worker was
/// the first to ask.
OpenClDevices load_unbound() {
  std::optional<BindingGuard> unbound;
  if (kPusAtStart) {
    // Where that is refused, the drivers have to do with the cores of this thread.
    if (Result<BindingGuard> guard = BindingGuard::bind(kPusAtStart.value())) unbound.emplace(std::move(guard).value());
  }
  return load_opencl_devices(opencl_search_of_environment());
}

}  // namespace

const char* to_string(OpenClDeviceSort sort) {
  switch (sort) {
    case OpenClDeviceSort::cpu: return "cpu";
    case OpenClDeviceSort::gpu: return "gpu";
    case OpenClDeviceSort::accelerator: return "accelerator";
    case OpenClDeviceSort::other: break;
  }
  return "other";
}

const OpenClDevices& list_opencl_devices() {
  static const OpenClDevices nothing;
  if (is_loading_opencl()) return nothing;
  // Never destroyed: threads may ask while the process ends.
  static const OpenClDevices* const found = new OpenClDevices(load_unbound());
  return *found;
}

}  // namespace troupe::platform
