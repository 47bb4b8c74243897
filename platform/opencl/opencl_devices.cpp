#include "platform/opencl/opencl_devices.hpp"

#include <fmt/format.h>

#include "platform/opencl/opencl_loading.hpp"
#include "platform/opencl/opencl_unbound.hpp"

namespace troupe::platform {

namespace {

/// Loads the drivers in the calling thread, without its binding to a core. The thread stays the same, as a driver may
/// check which thread loads it.
OpenClDevices load_unbound() {
  const auto unbound = unbind_for_drivers();
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

std::string name_of(const OpenClDevice& device) {
  return fmt::format("OpenCL device {} ({})", device.index, device.name);
}

const OpenClDevices& list_opencl_devices() {
  static const OpenClDevices nothing;
  if (is_loading_opencl()) return nothing;
  // The object is never destroyed: threads may still list devices while the process ends.
  static const OpenClDevices* const found = new OpenClDevices(load_unbound());
  return *found;
}

}  // namespace troupe::platform
