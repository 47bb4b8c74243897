#include "platform/opencl/opencl_devices.hpp"

#include "platform/opencl/opencl_loading.hpp"
#include "platform/opencl/opencl_unbound.hpp"

namespace troupe::platform {

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
  static const OpenClDevices* const found = [] {
    const auto unbound = unbound_for_drivers();
    return new OpenClDevices(load_opencl_devices(opencl_search_of_environment()));
  }();
  return *found;
}

}  // namespace troupe::platform
