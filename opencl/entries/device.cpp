/// The entries for devices. All devices are root devices, whose references are not counted.
#include "opencl/objects/device.hpp"

#include <algorithm>

#include "opencl/entries/entries.hpp"
#include "opencl/entries/guard.hpp"
#include "opencl/objects/platform.hpp"

namespace troupe::opencl {

cl_int get_device_ids(cl_platform_id platform, cl_device_type types, cl_uint num_entries, cl_device_id* devices,
                      cl_uint* num_devices) {
  return guarded([&] {
    // The standard lets the implementation decide what a null platform means; here it means this platform.
    const Platform& chosen = platform == nullptr ? Platform::get() : need<Platform>(platform);
    require(devices == nullptr || num_entries != 0, CL_INVALID_VALUE);
    require(devices != nullptr || num_devices != nullptr, CL_INVALID_VALUE);
    const auto found = chosen.devices_of(types);
    if (devices != nullptr) {
      const auto count = std::min<std::size_t>(num_entries, found.size());
      std::transform(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count), devices,
                     [](Device* device) { return device->handle(); });
    }
    if (num_devices != nullptr) *num_devices = static_cast<cl_uint>(found.size());
  });
}

cl_int get_device_info(cl_device_id device, cl_device_info what, std::size_t size, void* value, std::size_t* size_ret) {
  return guarded([&] { need<Device>(device).info(what, Info(size, value, size_ret)); });
}

cl_int retain_device(cl_device_id device) {
  return guarded([&] { (void)need<Device>(device); });
}

cl_int release_device(cl_device_id device) { return retain_device(device); }

}  // namespace troupe::opencl
